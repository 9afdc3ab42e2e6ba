import * as pets from '../shared/data/pets.ts'
import { notFound } from '../shared/model/api-error.ts'
import { operation } from '../shared/operation.ts'

/** `GET /pets/{petId}`: reads one pet. */
export const handler = operation('getPet', async ({ petId }) => {
  const pet = await pets.find(petId)
  if (!pet) throw notFound(`No pet has the id ${petId}.`)
  return { body: pet }
})
