import assert from 'node:assert/strict'
import { send } from '../support/http.ts'

/** A deployed API, and a key for it. */
export type Deployed = { baseUrl: string; apiKey: string }

type Pet = { id: number; name: string; categoryId: number; status: string }

/** Adds a pet. */
export const addPet = async (api: Deployed): Promise<Pet> => {
  const sent = { name: 'Rex', categoryId: 7, status: 'pending' }
  const headers = { ...authorization(api), 'Content-Type': 'application/json' }
  const { status, body } = await send(api.baseUrl, {
    method: 'POST',
    path: '/pets',
    headers,
    body: JSON.stringify(sent),
  })
  assert.equal(status, 201)
  const pet = body as Pet // What the interface says of a 201; the API suite proves it.
  assert.deepEqual(pet, { id: pet.id, ...sent })
  return pet
}

/** Expects a pet to be found by its id, and in the list of its status. */
export const expectPet = async (api: Deployed, pet: Pet): Promise<void> => {
  const headers = authorization(api)
  const found = await send(api.baseUrl, { path: `/pets/${pet.id}`, headers })
  const listed = await send(api.baseUrl, { path: `/pets?status=${pet.status}`, headers })
  assert.deepEqual(found.body, pet)
  assert.deepEqual(
    Object(listed.body).find?.(({ id }: Pet) => id === pet.id),
    pet,
  )
}

/** Expects the API to refuse the key. */
export const expectRefusal = async (api: Deployed): Promise<void> => {
  const { status } = await send(api.baseUrl, { path: '/pets', headers: authorization(api) })
  assert.equal(status, 401)
}

const authorization = ({ apiKey }: Deployed) => ({ Authorization: `Bearer ${apiKey}` })
