import { afterEach, expect, test, vi } from 'vitest'
import * as apiKeys from '../../../shared/data/api-keys.ts'
import { pets } from '../../../shared/data/pets.ts'
import type { TableId } from '../../../shared/data/tables.ts'
import { digestOf, newApiKey } from '../../../shared/model/api-key.ts'
import { againIfBusy, putItem, storedItems } from '../../support/database.ts'

// Deployed tables hold items with these attributes, and during a release the version before still reads and writes them.
// Code may be renamed; what is stored may not.

/** The items of a pet: those with its id. */
const itemsOf = async (table: TableId, id: unknown) =>
  (await storedItems(table)).filter((item) => item.id === id || item.petId === id)

const newPet = { name: 'Rex', categoryId: 7, status: 'available' } as const
const intent = { clientId: 'ann', operation: 'createPet', key: 'order-1742' }
const INTENT = 'df4cea077eac0f0bfa65781e062ac16e959e1cee6098b1b683244ac2990fdff5'
const FINGERPRINT = 'fe381d8b22a9e05931be3c554d3244e036583fe9d4ba7c810b30d168c0f09fbe'
const REVISION = '0b1c2d3e4f5061728394a5b6c7d8e9fa'
const token = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)

afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

test.each([newPet, { name: 'Rex', categoryId: 7 }])(
  'a pet is stored with its fields, its partitions in the indexes, and what identifies its creation: %o',
  async (pet) => {
    vi.stubEnv('WRITE_SHARDS', '5')

    const { id } = (await pets.create(pet)).resource

    const partitions = { shard: id % 5, ...('status' in pet && { statusShard: `available#${id % 5}` }) }
    expect(await itemsOf('pets', id)).toEqual([{ id, ...pet, ...partitions, creation: token }])
  },
)

test('a changed pet is stored with the token of its last change and how many there were', againIfBusy, async () => {
  const { id } = (await pets.create(newPet)).resource
  await pets.change(id, { name: 'Max' })
  await pets.change(id, { status: null })

  const revision = expect.stringMatching(/^[\da-f]{32}$/)
  expect(await itemsOf('pets', id)).toEqual([
    { id, name: 'Max', categoryId: 7, shard: 0, creation: token, revision, changes: 2 },
  ])
})

test('an idempotency key is stored as a reservation, and a deleted pet as a tombstone that keeps it for longer', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })
  const { id } = (await pets.create(newPet, intent)).resource
  await pets.remove(id)

  const [reservationEnd, tombstoneEnd] = [24, 48].map((hours) => 1_800_000_000 + hours * 60 * 60)
  expect(await itemsOf('idempotencyKeys', id)).toEqual([
    { intent: INTENT, petId: id, fingerprint: FINGERPRINT, expiresAt: reservationEnd },
  ])
  expect(await itemsOf('pets', id)).toEqual([
    { id, creation: token, reservation: INTENT, deletion: token, expiresAt: tombstoneEnd, changes: 1 },
  ])
})

test('stored pets, reservations, tombstones and API keys are understood', async () => {
  const key = newApiKey('local')
  const replayed = { ...intent, key: 'order-1743' }
  const reservation = 'a50173a8b0d6739b42182dcfb0534404db6fcc4719a2faf23d79637ed9296a08'
  await putItem('pets', { id: 1, ...newPet, shard: 0, statusShard: 'available#0', creation: 'a' })
  await putItem('pets', { id: 2, creation: 'b', reservation, deletion: 'c', expiresAt: 4e9 })
  // Versions that did not count changes stored this revision.
  await putItem('pets', { id: 3, ...newPet, shard: 0, statusShard: 'available#0', creation: 'd', revision: REVISION })
  await putItem('idempotencyKeys', { intent: reservation, petId: 2, fingerprint: FINGERPRINT, expiresAt: 4e9 })
  await putItem('apiKeys', {
    digest: digestOf(key),
    keyId: 'key-1',
    clientId: 'ann',
    name: 'Ann',
    scopes: ['pets:read'],
    createdAt: '2026-11-20T12:00:00.000Z',
    expiresAt: 4e9,
  })

  expect(await pets.find(1)).toEqual({ resource: { id: 1, ...newPet }, etag: '"1"' })
  expect(await pets.list({ status: 'available', limit: 1, before: 2 })).toMatchObject({ items: [{ id: 1 }] })
  expect(await pets.find(2)).toBeUndefined()
  expect(await pets.find(3)).toMatchObject({ etag: `"${REVISION}"` })
  expect(await pets.change(3, { name: 'Max' }, [REVISION])).toMatchObject({ etag: expect.stringMatching(/-1"$/) })
  expect(await pets.create(newPet, replayed)).toMatchObject({ resource: { id: 2, ...newPet }, isReplay: true })
  expect(await apiKeys.find(key)).toMatchObject({ keyId: 'key-1', clientId: 'ann', scopes: ['pets:read'] })
})
