import * as pets from '../shared/data/pets.ts'
import { notFound } from '../shared/model/api-error.ts'
import { operation } from '../shared/operation.ts'
import { one } from '../shared/responses.ts'

/** `GET /pets/{petId}`: reads one pet. */
export const handler = operation('getPet', async ({ params }) => {
  const pet = await pets.find(params.petId)
  if (!pet) throw notFound(`No pet has the id ${params.petId}.`)
  return one(pet)
})
