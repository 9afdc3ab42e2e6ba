import * as v from 'valibot'
import { Id } from './id.ts'
import { Int64, Int64Text } from './int64.ts'

/** The most characters (code points) of a name. */
const MAX_NAME = 1000

/** The most pets on a page. */
export const MAX_LIMIT = 100

const STATUSES = ['available', 'pending', 'sold'] as const
const STATUS_RULE = `one of ${STATUSES.join(', ')}`

/** The availability of a pet. */
export const PetStatus = v.pipe(v.picklist(STATUSES), v.title('PetStatus'), v.description(STATUS_RULE))
export type PetStatus = v.InferOutput<typeof PetStatus>

/**
 * The name of a pet. Its length is limited because stored items are. A lone surrogate or U+FFFD is invalid because it
 * means that text was lost before it arrived here.
 */
export const Name = v.pipe(
  v.string(),
  v.check((name) => /\S/.test(name) && codePoints(name) <= MAX_NAME),
  v.check((name) => name.isWellFormed() && !name.includes('\uFFFD')),
  v.metadata({ type: 'string', maxLength: MAX_NAME, pattern: '^[^\\uFFFD]*[^\\s\\uFEFF\\uFFFD][^\\uFFFD]*$' }),
  v.description(`a string of 1 to ${MAX_NAME} characters, not only white space, in valid Unicode`),
)

/** What a client sends to add a pet. Unknown fields, including an `id`, are ignored and never stored. */
export const NewPet = v.pipe(
  v.object({ name: Name, categoryId: Int64, status: v.optional(PetStatus) }),
  v.title('NewPet'),
  v.examples([{ name: 'Rex', categoryId: 7, status: 'available' }]),
)
export type NewPet = v.InferOutput<typeof NewPet>

/** A change of a pet (JSON merge patch, RFC 7396): the fields to replace. A `status` of `null` is removed. */
export const PetChanges = v.pipe(
  v.object({
    name: v.optional(Name),
    categoryId: v.optional(Int64),
    status: v.optional(v.pipe(v.nullable(PetStatus), v.description(`${STATUS_RULE}, null`))),
  }),
  v.minEntries(1, 'The body must have at least one of name, categoryId and status'),
  v.title('PetChanges'),
  v.examples([{ status: 'sold' }]),
)
export type PetChanges = v.InferOutput<typeof PetChanges>

const EXAMPLE = { id: 373212905455903, name: 'Rex', categoryId: 7, status: 'available' } as const

/** The id of a pet in a path: any int64, since an id that no pet can have is a 404 like any other. */
export const PetIdText = v.pipe(Int64Text, v.examples([EXAMPLE.id]))

/** A pet as the service returns it. */
export const Pet = v.pipe(v.object({ id: Id, ...NewPet.entries }), v.title('Pet'), v.examples([EXAMPLE]))
export type Pet = v.InferOutput<typeof Pet>

/** A list of pets. */
export const Pets = v.pipe(
  v.array(Pet),
  v.maxLength(MAX_LIMIT),
  v.title('Pets'),
  v.examples([[{ id: 373212905520046, name: 'Tom', categoryId: 9007199254740991 }, EXAMPLE]]),
)
export type Pets = v.InferOutput<typeof Pets>

/** The size of a page, as text in the query. */
export const Limit = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d*$/),
  v.transform(Number),
  v.maxValue(MAX_LIMIT),
  v.metadata({ type: 'integer', format: 'int32', minimum: 1, maximum: MAX_LIMIT }),
  v.description(`an integer from 1 to ${MAX_LIMIT}`),
)

const codePoints = (text: string): number => (text.length > 2 * MAX_NAME ? text.length : [...text].length)
