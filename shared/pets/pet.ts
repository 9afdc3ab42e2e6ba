import * as v from 'valibot'
import { Id, IdText } from '../model/id.ts'
import { Int64 } from '../model/int64.ts'
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

/** What a client sends to add a pet. Other fields, such as an `id`, are ignored. */
export const NewPet = v.pipe(
  v.object({ name: Text(1000), categoryId: Int64, status: v.optional(PetStatus) }),
  v.title('NewPet'),
  v.examples([{ name: 'Rex', categoryId: 7, status: 'available' }]),
)

/** The fields to replace (JSON merge patch, RFC 7396). A `status` of `null` is removed. */
export const PetChanges = v.pipe(
  v.object({
    name: v.optional(NewPet.entries.name),
    categoryId: v.optional(Int64),
    status: v.optional(v.pipe(v.nullable(PetStatus), v.description(`${STATUS_RULE}, null`))),
  }),
  v.minEntries(1, 'The body must have at least one of name, categoryId and status'),
  v.title('PetChanges'),
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

/** The id of a pet in a path. */
export const PetIdText = v.pipe(IdText, v.examples([EXAMPLE.id]))

/** A pet as the service returns it. */
export const Pet = v.pipe(
  v.object({ id: Id, ...NewPet.entries }),
  v.title('Pet'),
  v.examples([EXAMPLE, ORDERED]),
)
export type Pet = v.InferOutput<typeof Pet>

export const Pets = v.pipe(listOf(Pet), v.title('Pets'), v.examples([[ORDERED, EXAMPLE]]))
