import { afterEach, expect, test, vi } from 'vitest'
import * as apiKeys from '../../../shared/data/api-keys.ts'
import { saveRecord, storedResponse } from '../../../shared/data/idempotency.ts'
import { runTransaction } from '../../../shared/data/run-transaction.ts'
import { digestOf, newApiKey } from '../../../shared/model/api-key.ts'
import { pets as withTransaction } from '../../../shared/pets/pets.ts'
import { scopes } from '../../../shared/service.ts'
import { putItem, storedItem, storedItems } from '../../support/database.ts'
import { inOwnTransactions } from '../../support/in-own-transactions.ts'
import { newPet } from '../../support/pets.ts'

// Deployed tables hold items with these attributes, and during a release the version before still
// reads and writes them. Code may be renamed; what is stored may not.

const pets = inOwnTransactions(withTransaction)
const keyed = { clientId: 'ann', operation: 'create', key: 'order-1742', request: 'a digest' }
const revision = '0b1c2d3e-4f50-4172-8394-a5b6c7d8e9fa'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

test('a pet is stored with its fields, partitions and revision', async () => {
  vi.stubEnv('READ_SHARDS', '5')
  vi.stubEnv('WRITE_SHARDS', '5')

  const created = await pets.create(newPet())
  const { id } = created
  const before = await storedItem(id)
  const changed = await pets.change(id, { status: null }, undefined)

  const shard = id % 5
  const partitions = { shard, statusShard: `available#${shard}` }
  expect(before).toMatchObject({ id, ...newPet(), ...partitions, revision: created.revision })
  const after = await storedItem(id)
  const kept = { id, name: 'Rex', categoryId: 7, shard }
  expect(after).toMatchObject({ ...kept, revision: changed.revision })
  expect(after).not.toHaveProperty('statusShard') // It is in no list of a status.
  for (const each of [created, changed])
    expect(each.revision).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
})

test('a reservation has the digest of the request and the response, for 24 hours', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })
  const response = { status: 201, body: '{"id":7}', etag: `7-${revision}`, location: '/pets/7' }

  const token = await runTransaction(async (tx) => {
    await storedResponse(tx, keyed)
    saveRecord(tx, keyed, response)
    return tx.revision
  })

  const digest = '81d583a67152e1460833e0ace011c5cd09239225b1649ca68a600ba9e6eceda2'
  expect(await storedItems('idempotencyKeys')).toEqual([
    { intent: digest, request: 'a digest', ...response, expiresAt: 1_800_086_400, revision: token },
  ])
})

test('an expired reservation counts as none before DynamoDB deletes it', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })
  const expiring = { ...keyed, key: 'order-1744' }
  await runTransaction(async (tx) => saveRecord(tx, expiring, { status: 204, body: '' }))
  const other = { ...expiring, request: 'another digest' }
  const earlierOf = (request: typeof keyed) => runTransaction((tx) => storedResponse(tx, request))

  vi.setSystemTime(1_800_086_399_999)
  expect(await earlierOf(expiring)).toMatchObject({ status: 204 })
  await expect(earlierOf(other)).rejects.toMatchObject({ status: 422 })
  vi.setSystemTime(1_800_086_400_000)
  expect(await earlierOf(expiring)).toBeUndefined()
  expect(await earlierOf(other)).toBeUndefined()
})

test('stored pets, idempotency keys and API keys are understood', async () => {
  const key = newApiKey('local')
  const digest = digestOf(key)
  const reserved = 'c16df478cf7349de101a96acfaf8315ebcaaa314636460527eb9891611ec9a7d'
  const [createdAt, expiresAt] = ['2026-11-20T12:00:00.000Z', 4e9]
  await putItem('pets', { id: 1, ...newPet(), shard: 0, statusShard: 'available#0', revision })
  const response = { status: 204, body: '' }
  const request = { intent: reserved, request: 'a digest' }
  await putItem('idempotencyKeys', { ...request, ...response, expiresAt, revision })
  const client = { keyId: 'key-1', clientId: 'ann', name: 'Ann' }
  await putItem('apiKeys', { digest, ...client, scopes, createdAt, expiresAt })

  expect(await pets.get(1)).toMatchObject({ id: 1, ...newPet(), revision })
  const filter = { status: 'available' } as const
  expect(await pets.list({ filter, limit: 1, cursor: 2 })).toMatchObject({ items: [{ id: 1 }] })
  const replayed = { ...keyed, key: 'order-1743' }
  expect(await runTransaction((tx) => storedResponse(tx, replayed))).toEqual(response)
  const changed = await pets.change(1, { status: 'sold' }, [`1-${revision}`])
  expect(changed).toMatchObject({ id: 1 })
  expect(await apiKeys.findKeyHolder(key)).toMatchObject({
    keyId: 'key-1',
    clientId: 'ann',
    scopes,
  })
})
