import * as pets from '../shared/data/pets.ts'
import { notFound } from '../shared/model/api-error.ts'
import { operation } from '../shared/operation.ts'

/** `DELETE /pets/{petId}`: deletes a pet. */
export const handler = operation('deletePet', async ({ petId }) => {
  if (!(await pets.remove(petId))) throw notFound(`No pet has the id ${petId}.`)
  return {}
})
