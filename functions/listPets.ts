import * as pets from '../shared/data/pets.ts'
import { nextPage } from '../shared/http.ts'
import { operation } from '../shared/operation.ts'

/** `GET /pets`: lists pets, newest first. */
export const handler = operation('listPets', async ({ query }, event) => {
  const { pets: page, next } = await pets.list({ ...query, before: query.cursor })
  return { body: page, headers: nextPage(event, query, next) }
})
