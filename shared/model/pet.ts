import * as v from 'valibot'
import { Int64 } from './int64.ts'

const STATUSES = ['available', 'pending', 'sold'] as const

/** Availability of a pet (interface, section 2). */
export const PetStatus = v.pipe(v.picklist(STATUSES), v.description(`one of ${STATUSES.join(', ')}`))
export type PetStatus = v.InferOutput<typeof PetStatus>

/** How many code points a pet's name may have. */
export const MAX_NAME = 1000

/**
 * A pet's name. Its length counts code points. It is bounded because a longer one would end in an error of
 * DynamoDB's; a lone surrogate or U+FFFD in it means that text was lost on the way here.
 */
export const Name = v.pipe(
  v.string(),
  v.check((name) => /\S/.test(name) && codePoints(name) <= MAX_NAME),
  v.check((name) => name.isWellFormed() && !name.includes('\uFFFD')),
  v.description(`a string of 1 to ${MAX_NAME} characters, not only white space, in valid Unicode`),
)

/** What a client sends to add a pet. Unknown fields are ignored and never stored, a client's `id` among them. */
export const NewPet = v.object({ name: Name, categoryId: Int64, status: v.optional(PetStatus) })
export type NewPet = v.InferOutput<typeof NewPet>

/** A pet as the service returns it. */
export const Pet = v.object({ id: Int64, ...NewPet.entries })
export type Pet = v.InferOutput<typeof Pet>

/** A list of pets. */
export const Pets = v.array(Pet)
export type Pets = v.InferOutput<typeof Pets>

const codePoints = (text: string): number => (text.length > 2 * MAX_NAME ? text.length : [...text].length)

/** How many pets a page may have at most. */
export const MAX_LIMIT = 100

/** How many pets a page may have (interface, section 8), as it stands in a query. */
export const Limit = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d*$/),
  v.transform(Number),
  v.maxValue(MAX_LIMIT),
  v.description(`an integer from 1 to ${MAX_LIMIT}`),
)

const EPOCH = Date.UTC(2024, 0, 1)
const IDS_PER_MILLISECOND = 4096

let last = 0

/**
 * A new id: 41 bits of milliseconds since 2024, then 12 random bits, so a positive integer that every JSON client holds
 * exactly (53 bits, until 2093). Ids sort by creation; within one process always, since none is below its last one.
 * Two processes may draw the same id in the same millisecond: whoever writes it first has it.
 *
 * @param now milliseconds since 1970
 */
export const newPetId = (now = Date.now()): number => {
  // Plain arithmetic: the shift operators cut their operands to 32 bits.
  const drawn = (now - EPOCH) * IDS_PER_MILLISECOND + Math.floor(Math.random() * IDS_PER_MILLISECOND)
  last = Math.max(drawn, last + 1)
  return last
}
