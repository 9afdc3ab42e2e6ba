import assert from 'node:assert/strict'
import type { Pet } from '../../shared/pets/pet.ts'
import { sendUntilServed } from '../support/http.ts'
import { newPet } from '../support/pets.ts'
import { headersOf } from '../support/server.ts'

/** A deployed API, and a key for it. */
export type Deployed = { baseUrl: string; apiKey: string }

/**
 * Requests on the pets of a deployed API. Each throws if the response has another status than
 * expected. The API tests, which run before, compare responses with the document.
 */
export const deployedApi = ({ baseUrl, apiKey }: Deployed) => {
  const call = async (status: number, method: string, path: string, body?: object, key = '') => {
    const headers = { ...headersOf({ apiKey }), ...(key && { 'Idempotency-Key': key }) }
    const sent = { method, path, headers, ...(body && { body: JSON.stringify(body) }) }
    const received = await sendUntilServed(baseUrl, sent)
    assert.equal(received.status, status, `${method} ${path}: ${received.text}`)
    return received.body
  }
  return {
    create: async (key: string) => (await call(201, 'POST', '/pets', newPet(), key)) as Pet,
    list: async (status = 200) => (await call(status, 'GET', '/pets?limit=100')) as Pet[],
    listAvailable: async () => (await call(200, 'GET', '/pets?status=available')) as Pet[],
    change: async (id: number, changes: Partial<Pet>) =>
      (await call(200, 'PATCH', `/pets/${id}`, changes)) as Pet,
  }
}
