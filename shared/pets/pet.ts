import * as v from 'valibot'
import { Id } from '../model/id.ts'
import { Int64, Int64Text } from '../model/int64.ts'
import { meanings } from '../model/meanings.ts'
import { listOf } from '../model/paging.ts'
import { Text } from '../model/text.ts'

const STATUSES = ['available', 'pending', 'sold'] as const
const STATUS_RULE = `one of ${STATUSES.join(', ')}`

/** The availability of a pet. */
export const PetStatus = v.pipe(
  v.picklist(STATUSES),
  v.title('PetStatus'),
  v.description(STATUS_RULE),
)
export type PetStatus = v.InferOutput<typeof PetStatus>

const fields = { name: Text(1000), categoryId: Int64, status: v.optional(PetStatus) }

const texts = {
  name: "The pet's name.",
  categoryId: 'The identifier of the category that the pet belongs to.',
  status: 'The availability status of the pet.',
}

/** What a client sends to add a pet. Other fields, such as an `id`, are ignored. */
export const NewPet = v.pipe(
  v.object(fields),
  v.title('NewPet'),
  meanings(texts),
  v.examples([{ name: 'Rex', categoryId: 7, status: 'available' }]),
)

/** The fields to replace (JSON merge patch, RFC 7396). A `status` of `null` is removed. */
export const PetChanges = v.pipe(
  v.object({
    name: v.optional(fields.name),
    categoryId: v.optional(fields.categoryId),
    status: v.optional(v.pipe(v.nullable(PetStatus), v.description(`${STATUS_RULE}, null`))),
  }),
  v.minEntries(1, 'The body must have at least one of name, categoryId and status'),
  v.title('PetChanges'),
  meanings(texts),
  v.examples([{ status: 'sold' }]),
)
export type PetChanges = v.InferOutput<typeof PetChanges>

const EXAMPLE = { id: 373212905455903, name: 'Rex', categoryId: 7, status: 'available' } as const
/** The pet of the example order. */
const ORDERED = {
  id: 373212905520046,
  name: 'Tom',
  categoryId: 9007199254740991,
  status: 'pending',
} as const

/** A pet as the service returns it. */
export const Pet = v.pipe(
  v.object({ id: Id, ...fields }),
  v.title('Pet'),
  meanings({
    id: 'The unique identifier of the pet, assigned by the service when the pet is added.',
    ...texts,
  }),
  v.examples([EXAMPLE, ORDERED]),
)
export type Pet = v.InferOutput<typeof Pet>

export const Pets = v.pipe(listOf(Pet), v.title('Pets'), v.examples([[ORDERED, EXAMPLE]]))

/** The path parameter of the operations on one pet. */
export const PetPath = v.pipe(
  v.object({ petId: v.pipe(Int64Text, v.examples([EXAMPLE.id])) }),
  meanings({ petId: 'The identifier of the pet.' }),
)

/** The filters of the list of pets. */
export const PetFilters = v.pipe(
  v.object({ status: v.optional(PetStatus) }),
  meanings({ status: 'Returns only pets with this status.' }),
)
