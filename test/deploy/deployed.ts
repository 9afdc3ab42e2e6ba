import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { send } from '../support/http.ts'
import type { Outputs } from './cdk.ts'
import { type Emulator, startProxy } from './emulator.ts'

/** A deployed API, and a key for it. */
export type Deployed = { baseUrl: string; apiKey: string }

type Pet = { id: number; name: string; categoryId: number; status: string }

/** Makes the API of a stage reachable at an origin of its own, and issues a key with the operators' command. */
export const openApi = async (
  stage: 'staging' | 'production',
  { address, env }: Emulator,
  outputs: Outputs,
): Promise<Deployed> => {
  const stack = { staging: 'PetStoreStaging', production: 'PetStoreProduction' }[stage]
  const { hostname, pathname } = new URL(outputs[stack]?.BaseUrl ?? '')
  const origin = await startProxy(`${address}/_aws/execute-api/${hostname.split('.')[0]}`, 'http')
  const args = ['infra/commands/keys.ts', 'issue', '--stage', stage, '--name', 'Deployment test', '--json']
  const { stdout } = await promisify(execFile)('node', args, { env })
  return { baseUrl: origin + pathname, apiKey: JSON.parse(stdout).key }
}

/** Creates a pet. */
export const addPet = async ({ baseUrl, apiKey }: Deployed): Promise<Pet> => {
  const newPet = { name: 'Rex', categoryId: 7, status: 'pending' }
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
  const { status, body } = await send(baseUrl, { method: 'POST', path: '/pets', headers, body: JSON.stringify(newPet) })
  assert.equal(status, 201)
  const pet = body as Pet // The API tests prove that a 201 has this shape.
  assert.deepEqual(pet, { id: pet.id, ...newPet })
  return pet
}

/** Expects a pet to be found by its id, and in the list of its status. */
export const expectPet = async (api: Deployed, pet: Pet): Promise<void> => {
  const found = await get(api, `/pets/${pet.id}`)
  const listed = await get(api, `/pets?status=${pet.status}`)
  assert.deepEqual(found.body, pet)
  assert(Array.isArray(listed.body))
  assert.deepEqual(
    listed.body.find(({ id }) => id === pet.id),
    pet,
  )
}

/** Expects a response to a GET to have this status. */
export const expectStatus = async (status: number, api: Deployed, path: string): Promise<void> => {
  assert.equal((await get(api, path)).status, status)
}

const get = ({ baseUrl, apiKey }: Deployed, path: string) =>
  send(baseUrl, { path, headers: { Authorization: `Bearer ${apiKey}` } })
