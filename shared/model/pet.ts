import * as v from 'valibot'
import { Int64 } from './int64.ts'
import { takes } from './takes.ts'

const STATUSES = ['available', 'pending', 'sold'] as const

/** Availability of an animal (interface, section 2). */
export const PetStatus = v.pipe(v.picklist(STATUSES), takes(`one of ${STATUSES.join(', ')}`))
export type PetStatus = v.InferOutput<typeof PetStatus>

/** How many code points an animal's name may have. */
export const MAX_NAME = 1000

/**
 * An animal's name. Its length counts code points. It is bounded because a longer one would end in an error of
 * DynamoDB's; a lone surrogate or U+FFFD in it means that text was lost on the way here.
 */
export const Name = v.pipe(
  v.string(),
  v.check((name) => /\S/.test(name) && codePoints(name) <= MAX_NAME),
  v.check((name) => name.isWellFormed() && !name.includes('\uFFFD')),
  takes(`a string of 1 to ${MAX_NAME} characters, not only white space, in intact Unicode`),
)

/** What a client sends to add an animal. Unknown fields are ignored and never stored, a client's `id` among them. */
export const NewPet = v.object({ name: Name, categoryId: Int64, status: v.optional(PetStatus) })
export type NewPet = v.InferOutput<typeof NewPet>

/** An animal as the service returns it. */
export const Pet = v.object({ id: Int64, ...NewPet.entries })
export type Pet = v.InferOutput<typeof Pet>

/** A list of animals. */
export const Pets = v.array(Pet)
export type Pets = v.InferOutput<typeof Pets>

const codePoints = (text: string): number => (text.length > 2 * MAX_NAME ? text.length : [...text].length)
