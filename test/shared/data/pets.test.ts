import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type NewPet, type Pet, PetStatus } from '../../../shared/pets/pet.ts'
import { pets } from '../../../shared/pets/pets.ts'
import { proxy, putItem, storedItems } from '../../support/database.ts'

const create = async (newPet: NewPet): Promise<Pet> => (await pets.create(newPet)).resource

const setShards = ({ read, write }: { read: number; write: number }) => {
  vi.stubEnv('READ_SHARDS', String(read))
  vi.stubEnv('WRITE_SHARDS', String(write))
}

afterEach(() => vi.unstubAllEnvs())

// The tests of lists come first, because they expect no other pets.
describe('list', async () => {
  const pet = (name: string, status?: PetStatus) => create({ name, categoryId: 7, ...(status && { status }) })
  const idOf = ({ id }: Pet) => Number(id)

  const [ada, bob, cat] = [await pet('Ada', 'available'), await pet('Bob', 'sold'), await pet('Cat')]
  const [dot, eve, fay] = [await pet('Dot', 'available'), await pet('Eve', 'pending'), await pet('Fay', 'sold')]
  const [gus, hal] = [await pet('Gus'), await pet('Hal', 'available')]
  const all = [hal, gus, fay, eve, dot, cat, bob, ada]

  test.each([
    { limit: 100, expected: { items: all, next: undefined } },
    { limit: 100, status: 'available', expected: { items: [hal, dot, ada], next: undefined } },
    { limit: 100, status: 'pending', expected: { items: [eve], next: undefined } },
    // A page that does not have all pets, and one that has exactly all.
    { limit: 3, expected: { items: [hal, gus, fay], next: fay.id } },
    { limit: 1, status: 'sold', expected: { items: [fay], next: fay.id } },
    { limit: 8, expected: { items: all, next: undefined } },
    { limit: 2, status: 'sold', expected: { items: [fay, bob], next: undefined } },
    // `cursor` is the id of a pet in the list, of a pet that is not in it, and of none.
    { limit: 2, cursor: idOf(fay), expected: { items: [eve, dot], next: dot.id } },
    { limit: 2, cursor: idOf(fay), status: 'available', expected: { items: [dot, ada], next: undefined } },
    { limit: 2, cursor: idOf(cat) + 1, expected: { items: [cat, bob], next: bob.id } },
    { limit: 2, cursor: idOf(ada), expected: { items: [], next: undefined } },
    { limit: 2, cursor: 0, expected: { items: [], next: undefined } },
  ] as const)(
    'returns the newest pets with one query, and where the next page starts: %o',
    async ({ expected, ...page }) => {
      expect(await pets.list(page)).toEqual(expected)
      expect(proxy.counts).toEqual({ Query: 1 })
    },
  )
})

describe('shards', () => {
  const all: Pet[] = []
  const add = async (i: number) => {
    const status = [...PetStatus.options, undefined][i % 4]
    all.unshift(await create({ name: `Rex ${i}`, categoryId: i, ...(status && { status }) }))
  }

  /** All pets from the newest to the oldest, while others are added. */
  const walk = async (status?: PetStatus, cursor?: number): Promise<Pet[]> => {
    const { items, next } = await pets.list({ limit: 17, status, cursor })
    await add(next ?? 0)
    return next === undefined ? items : [...items, ...(await walk(status, next))]
  }

  beforeAll(async () => {
    all.push(...(await pets.list({ limit: 100 })).items)
  })

  // In this order, one set of pets has its shards raised twice, each time in two steps: first for reading.
  describe.each([
    { read: 1, write: 1, added: 84 },
    { read: 2, write: 1, added: 1 },
    { read: 2, write: 2, added: 83 },
    { read: 5, write: 2, added: 1 },
    { read: 5, write: 5, added: 83 },
  ])('$read to read and $write to write', ({ read, write, added }) => {
    beforeAll(async () => {
      setShards({ read, write })
      for (let i = 0; i < added; i++) await add(i)
    })
    beforeEach(() => setShards({ read, write }))

    test.each([undefined, ...PetStatus.options])('pages with the status %s have its pets once', async (status) => {
      const expected = all.filter((pet) => status === undefined || pet.status === status)

      expect(await walk(status)).toEqual(expected)
    })
  })

  test.each(['0', '-1', '1.5', 'x'])('a number of shards that is %j is a bug, and no empty list', async (count) => {
    vi.stubEnv('READ_SHARDS', count)
    vi.stubEnv('WRITE_SHARDS', count)
    const work = [
      pets.list({ limit: 1 }),
      pets.list({ limit: 1, status: 'sold' }),
      create({ name: 'Rex', categoryId: 7 }),
    ]

    const errors = await Promise.all(work.map((each: Promise<unknown>) => each.catch((error) => error)))

    const read = new Error('READ_SHARDS must be a positive integer.')
    expect(errors).toEqual([read, read, new Error('WRITE_SHARDS must be a positive integer.')])
  })
})

const unknownIds = [0, 1, -1, 9007199254740991, 9223372036854775807n, -9223372036854775808n]
test.each(unknownIds)('get, change and remove throw a 404 for the id %s', async (id) => {
  const error = { status: 404, message: `No pet has the id ${id}.` }

  for (const work of [pets.get(id), pets.change(id, { name: 'Rex' }, ['other']), pets.remove(id, ['other'])])
    await expect(work).rejects.toMatchObject(error)
})

/** The statuses whose lists have a pet; `all` for the list of all pets. */
const listsWith = async ({ id }: Pet): Promise<string[]> => {
  const lists: string[] = []
  for (const status of [undefined, ...PetStatus.options]) {
    const { items } = await pets.list({ status, limit: 1, cursor: id + 1 })
    if (items[0]?.id === id) lists.push(status ?? 'all')
  }
  return lists
}

test.each([
  [{ status: 'sold' }, ['all', 'sold']],
  [{ status: 'available', name: 'Max' }, ['all', 'available']],
  [{ status: null }, ['all']],
  [{ name: 'Max', categoryId: 9223372036854775807n }, ['all', 'available']],
] as const)('change returns and stores the pet with %o, and moves it to the lists %o', async (changes, lists) => {
  const pet = await create({ name: 'Rex', categoryId: 7, status: 'available' })

  const changed = await pets.change(pet.id, changes)

  const { status, ...expected } = { ...pet, ...changes }
  expect(changed.resource).toStrictEqual({ ...expected, ...(status && { status }) })
  expect(await pets.get(pet.id)).toStrictEqual(changed)
  expect(await listsWith(pet)).toEqual(lists)
})

test('a deleted pet is in no list', async () => {
  const pet = await create({ name: 'Rex', categoryId: 7, status: 'available' })

  await pets.remove(pet.id)

  expect(await listsWith(pet)).toEqual([])
})

test('a change keeps attributes that this version does not know', async () => {
  const { id } = await create({ name: 'Rex', categoryId: 7 })
  const [stored] = (await storedItems('pets')).filter((item) => item.id === id)
  await putItem('pets', { ...stored, since: 'a later version' })

  await pets.change(id, { name: 'Max' })

  const [changed] = (await storedItems('pets')).filter((item) => item.id === id)
  expect(changed).toMatchObject({ name: 'Max', since: 'a later version' })
})
