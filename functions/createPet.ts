import * as pets from '../shared/data/pets.ts'
import { intentOf } from '../shared/http.ts'
import { operation } from '../shared/operation.ts'
import { created } from '../shared/responses.ts'

/** `POST /pets`: adds a pet. */
export const handler = operation('createPet', async ({ headers, body }, event) => {
  const intent = intentOf(event, 'createPet', headers['Idempotency-Key'])
  return created(event, await pets.create(body, intent))
})
