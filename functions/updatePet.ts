import * as pets from '../shared/data/pets.ts'
import { notFound } from '../shared/model/api-error.ts'
import { operation } from '../shared/operation.ts'

/** `PATCH /pets/{petId}`: changes a pet. */
export const handler = operation('updatePet', async ({ petId, ...changes }) => {
  const pet = await pets.update(petId, changes)
  if (!pet) throw notFound(`No pet has the id ${petId}.`)
  return { body: pet }
})
