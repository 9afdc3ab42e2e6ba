import fc from 'fast-check'
import { type NewPet, newPet } from './new-pet.ts'
import type { Body, Part, Wanted } from './request.ts'

export type PetBody = Part<{ body?: Body; wanted?: Wanted }>

const OURS = ['name', 'categoryId', 'status']
const SIMILAR = ['id', 'Name', 'name ', 'categoryID', 'creation', 'statusShard', 'toString', 'hasOwnProperty', '']

// Those that the body parser refuses wherever they stand.
const isSafe = (json: string): boolean => !/__proto__|constructor/.test(json)

const otherField = fc.tuple(
  fc
    .oneof(fc.constantFrom(...SIMILAR), fc.string({ unit: 'binary' }))
    .filter((key) => !OURS.includes(key) && isSafe(key)),
  fc.oneof(fc.json(), fc.bigInt().map(String), fc.constantFrom('1e999', '-0.0e-999', '"\\ud800"')).filter(isSafe),
)

/** Fields that are given once more further on: the last one counts. */
const overruled = fc.constantFrom<[string, string][]>(
  [],
  [],
  [],
  [['name', '5']],
  [
    ['categoryId', '"7"'],
    ['name', '{}'],
  ],
)

const jsonOf = (fields: [string, string][], space: string): string =>
  `${space}{${fields.map(([key, json]) => `${space}${JSON.stringify(key)}${space}:${json}${space}`)}}${space}`

const spelled = ({ fields, wanted }: NewPet): fc.Arbitrary<PetBody> =>
  fc
    .record({
      others: fc.array(otherField, { maxLength: 3 }),
      overruled,
      space: fc.constantFrom('', '', ' ', '\r\n\t'),
    })
    .chain(({ others, overruled, space }) =>
      fc
        .shuffledSubarray([...fields, ...others], { minLength: fields.length + others.length })
        .map((shuffled) => jsonOf([...overruled, ...shuffled], space)),
    )
    .map((text): PetBody => ({ body: { text }, wanted, refused: 'never' }))

/** The text of a pet that the service takes, in one of the ways that JSON has to spell it. */
export const goodBody: fc.Arbitrary<PetBody> = newPet.chain(spelled)
