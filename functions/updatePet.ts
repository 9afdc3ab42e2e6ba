import * as pets from '../shared/data/pets.ts'
import { notFound } from '../shared/model/api-error.ts'
import { operation } from '../shared/operation.ts'

/** `PATCH /pets/{petId}`: changes a pet. */
export const handler = operation('updatePet', async ({ params, body }) => {
  const pet = await pets.update(params.petId, body)
  if (!pet) throw notFound(`No pet has the id ${params.petId}.`)
  return { body: pet }
})
