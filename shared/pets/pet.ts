import * as v from 'valibot'
import { changesOf, mustBe } from '../model/fields.ts'
import { Id } from '../model/id.ts'
import { Int64, Int64Text } from '../model/int64.ts'
import { filtersOf, listOf } from '../model/paging.ts'
import { Text } from '../model/text.ts'

const STATUSES = ['available', 'pending', 'sold'] as const

/** The availability of a pet. */
export const PetStatus = v.pipe(
  v.picklist(STATUSES),
  v.title('PetStatus'),
  mustBe(`one of ${STATUSES.join(', ')}`),
)
export type PetStatus = v.InferOutput<typeof PetStatus>

/** The fields that a client sets. A field is optional with `v.optional()`. */
const fields = {
  name: v.pipe(Text(1000), v.description("The pet's name.")),
  categoryId: v.pipe(
    Int64,
    v.description('The identifier of the category that the pet belongs to.'),
  ),
  status: v.pipe(v.optional(PetStatus), v.description('The availability status of the pet.')),
}

/** What a client sends to add a pet. Other fields, such as an `id`, are ignored. */
export const NewPet = v.pipe(
  v.object(fields),
  v.title('NewPet'),
  v.examples([{ name: 'Rex', categoryId: 7, status: 'available' }]),
)

/** The fields to replace, or to remove (`null`). */
export const PetChanges = v.pipe(
  changesOf(fields),
  v.title('PetChanges'),
  v.examples([{ status: 'sold' }]),
)
export type PetChanges = v.InferOutput<typeof PetChanges>

const EXAMPLE = { id: 373212905455903, name: 'Rex', categoryId: 7, status: 'available' } as const
const OTHER_EXAMPLE = {
  id: 373212905520046,
  name: 'Tom',
  categoryId: 9007199254740991,
  status: 'pending',
} as const

/** A pet as the service returns it. */
export const Pet = v.pipe(
  v.object({
    id: v.pipe(
      Id,
      v.description(
        'The unique identifier of the pet, assigned by the service when the pet is added.',
      ),
    ),
    ...fields,
  }),
  v.title('Pet'),
  v.examples([EXAMPLE, OTHER_EXAMPLE]),
)
export type Pet = v.InferOutput<typeof Pet>

export const Pets = v.pipe(listOf(Pet), v.title('Pets'), v.examples([[OTHER_EXAMPLE, EXAMPLE]]))

/** The path parameter of the operations on one pet. */
export const PetPath = v.object({
  petId: v.pipe(Int64Text, v.examples([EXAMPLE.id]), v.description('The identifier of the pet.')),
})

/** The filters of the list of pets. */
export const PetFilters = filtersOf({
  status: v.pipe(v.optional(PetStatus), v.description('Returns only pets with this status.')),
})
