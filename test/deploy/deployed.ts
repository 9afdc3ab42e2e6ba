import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Client } from '../../infra/client/client.ts'
import type { Outputs } from './cdk.ts'
import { type Emulator, startProxy } from './emulator.ts'

/** A deployed API, and a key for it. */
export type Deployed = { baseUrl: string; apiKey: string }

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

/** An order of a pet of its own. */
type OwnOrder = { id: number; petId: number }

/** Creates a pet and orders it. The same key has the same effect once. */
export const placeOrder = async (client: Client, idempotencyKey: string): Promise<OwnOrder> => {
  const newPet = { name: 'Rex', categoryId: 7, status: 'available' } as const
  const { id: petId } = await client.createPet(newPet, { idempotencyKey })
  const { id } = await client.placeOrder({ petId }, { idempotencyKey })
  return { id, petId }
}

/** Expects that an order holds its pet, also in the lists, and completes it. */
export const completeOrder = async (client: Client, { id, petId }: OwnOrder): Promise<void> => {
  const pet = { id: petId, name: 'Rex', categoryId: 7, status: 'pending' }
  const ofId = (item: { id: number }) => [id, petId].includes(item.id)
  assert.deepEqual((await client.listPets({ status: 'pending' }).toArray()).filter(ofId), [pet])
  assert.deepEqual((await client.listOrders().toArray()).filter(ofId), [{ id, petId, complete: false }])
  await client.updateOrder({ orderId: id, complete: true })
  assert.deepEqual(await client.updatePet({ petId, name: 'Rex' }), { ...pet, status: 'sold' })
}
