import * as pets from '../shared/data/pets.ts'
import { absoluteUrl } from '../shared/http.ts'
import { cursorAfter } from '../shared/model/cursor.ts'
import { operation } from '../shared/operation.ts'

/** `GET /pets`: lists pets, newest first. */
export const handler = operation('listPets', async ({ limit, status, cursor }, event) => {
  const { pets: page, next } = await pets.list({ limit, status, before: cursor })
  if (next === undefined) return { body: page }
  const query = new URLSearchParams({ limit: `${limit}`, ...(status && { status }), cursor: cursorAfter(next) })
  return { body: page, headers: { Link: `<${absoluteUrl(event, `/pets?${query}`)}>; rel="next"` } }
})
