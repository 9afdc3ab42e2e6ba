import * as pets from '../shared/data/pets.ts'
import { notFound } from '../shared/model/api-error.ts'
import { operation } from '../shared/operation.ts'

/** `DELETE /pets/{petId}`: deletes a pet. */
export const handler = operation('deletePet', async ({ params, headers }) => {
  if (!(await pets.remove(params.petId, headers['If-Match']))) throw notFound(`No pet has the id ${params.petId}.`)
  return {}
})
