import * as pets from '../shared/data/pets.ts'
import { notFound } from '../shared/model/api-error.ts'
import { operation } from '../shared/operation.ts'
import { one } from '../shared/responses.ts'

/** `PATCH /pets/{petId}`: changes a pet. */
export const handler = operation('updatePet', async ({ params, headers, body }) => {
  const pet = await pets.change(params.petId, body, headers['If-Match'])
  if (!pet) throw notFound(`No pet has the id ${params.petId}.`)
  return one(pet)
})
