import { afterEach, expect, test, vi } from 'vitest'
import * as apiKeys from '../../../shared/data/api-keys.ts'
import type { TableId } from '../../../shared/data/tables.ts'
import { digestOf, newApiKey } from '../../../shared/model/api-key.ts'
import { orders } from '../../../shared/orders/orders.ts'
import { pets } from '../../../shared/pets/pets.ts'
import { putItem, storedItems } from '../../support/database.ts'

// Deployed tables hold items with these attributes, and during a release the version before still reads and writes them.
// Code may be renamed; what is stored may not.

const itemsOf = async (table: TableId, id: unknown) => (await storedItems(table)).filter((item) => item.id === id)

const newPet = { name: 'Rex', categoryId: 7, status: 'available' } as const
const intent = { clientId: 'ann', operation: 'createPet', key: 'order-1742' }
const INTENT = 'df4cea077eac0f0bfa65781e062ac16e959e1cee6098b1b683244ac2990fdff5'
const FINGERPRINT = 'fe381d8b22a9e05931be3c554d3244e036583fe9d4ba7c810b30d168c0f09fbe'
const REVISION = '0b1c2d3e-4f50-4172-8394-a5b6c7d8e9fa'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

test.each([newPet, { name: 'Rex', categoryId: 7 }])(
  'a pet is stored with its fields, its partitions in the indexes, and its revision: %o',
  async (pet) => {
    vi.stubEnv('WRITE_SHARDS', '5')

    const { resource, revision } = await pets.create(pet)

    const { id } = resource
    const partitions = { shard: id % 5, ...('status' in pet && { statusShard: `available#${id % 5}` }) }
    expect(await itemsOf('pets', id)).toEqual([{ id, ...pet, ...partitions, revision }])
    expect(revision).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
  },
)

test('a changed pet is stored without the status that was removed, and with another revision', async () => {
  const { id } = (await pets.create(newPet)).resource

  const { revision } = await pets.change(id, { name: 'Max', status: null })

  expect(await itemsOf('pets', id)).toEqual([{ id, name: 'Max', categoryId: 7, shard: 0, revision }])
})

test('an order is stored with its partition and its revision, and its pet with it until it is complete', async () => {
  const pet = { ...(await pets.create(newPet)).resource, shard: 0 }
  const petId = pet.id

  const { resource, revision } = await orders.place({ petId })
  const held = await itemsOf('pets', petId)
  const completed = await orders.complete(resource.id)

  const { id } = resource
  expect(held).toEqual([{ ...pet, status: 'pending', statusShard: 'pending#0', order: id, revision }])
  const later = { shard: 0, revision: completed.revision }
  expect(await itemsOf('orders', id)).toEqual([{ id, petId, complete: true, ...later }])
  expect(await itemsOf('pets', petId)).toEqual([{ ...pet, status: 'sold', statusShard: 'sold#0', ...later }])
})

test('an idempotency key is stored with the id and the revision of its pet, for 24 hours', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })

  const { resource, revision } = await pets.create(newPet, intent)

  const reservation = { intent: INTENT, id: resource.id, fingerprint: FINGERPRINT, expiresAt: 1_800_086_400, revision }
  expect(await itemsOf('idempotencyKeys', resource.id)).toEqual([reservation])
})

test('stored pets, orders, idempotency keys and API keys are understood', async () => {
  const key = newApiKey('local')
  const replayed = { ...intent, key: 'order-1743' }
  const reservation = 'a50173a8b0d6739b42182dcfb0534404db6fcc4719a2faf23d79637ed9296a08'
  await putItem('pets', { id: 1, ...newPet, shard: 0, statusShard: 'available#0', revision: REVISION })
  await putItem('pets', { id: 8, ...newPet, order: 9, shard: 0, statusShard: 'available#0', revision: REVISION })
  await putItem('orders', { id: 9, petId: 8, complete: false, shard: 0, revision: REVISION })
  await putItem('idempotencyKeys', {
    intent: reservation,
    id: 2,
    fingerprint: FINGERPRINT,
    expiresAt: 4e9,
    revision: REVISION,
  })
  await putItem('apiKeys', {
    digest: digestOf(key),
    keyId: 'key-1',
    clientId: 'ann',
    name: 'Ann',
    scopes: ['pets:read'],
    createdAt: '2026-11-20T12:00:00.000Z',
    expiresAt: 4e9,
  })

  expect(await pets.get(1)).toEqual({ resource: { id: 1, ...newPet }, revision: REVISION })
  expect(await pets.list({ status: 'available', limit: 1, cursor: 2 })).toMatchObject({ items: [{ id: 1 }] })
  const original = { resource: { id: 2, ...newPet }, revision: REVISION, isReplay: true }
  expect(await pets.create(newPet, replayed)).toEqual(original)
  expect(await pets.change(1, { name: 'Max' }, [`1-${REVISION}`])).toMatchObject({ resource: { name: 'Max' } })
  expect(await orders.list({ limit: 1, cursor: 10 })).toMatchObject({ items: [{ id: 9, petId: 8, complete: false }] })
  await expect(pets.remove(8)).rejects.toMatchObject({ status: 409 })
  expect(await apiKeys.find(key)).toMatchObject({ keyId: 'key-1', clientId: 'ann', scopes: ['pets:read'] })
})

test('an item without a revision is a bug', async () => {
  await putItem('pets', { id: 4, ...newPet, shard: 0 })

  for (const work of [pets.get(4), pets.change(4, { name: 'Max' })])
    await expect(work).rejects.toThrow(new Error('An item of pets has no revision.'))
})
