import * as pets from '../shared/data/pets.ts'
import { operation } from '../shared/operation.ts'
import { page } from '../shared/responses.ts'

/** `GET /pets`: lists pets, newest first. */
export const handler = operation('listPets', async ({ query }, event) => {
  return page(event, query, await pets.list({ ...query, before: query.cursor }))
})
