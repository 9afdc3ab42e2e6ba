import * as pets from '../shared/data/pets.ts'
import { basePath, callerOf } from '../shared/http.ts'
import { operation } from '../shared/operation.ts'

/** `POST /pets`: adds a pet. */
export const handler = operation('createPet', async ({ headers, body }, event) => {
  const key = headers['Idempotency-Key']
  const { clientId } = callerOf(event)
  const { pet, isReplay } = await pets.create(body, key ? { clientId, operation: 'createPet', key } : undefined)
  const Location = `${basePath(event)}/pets/${pet.id}`
  return { body: pet, headers: { Location, ...(isReplay && { 'Idempotent-Replayed': 'true' }) } }
})
