import { afterEach, expect, test, vi } from 'vitest'
import * as apiKeys from '../../../shared/data/api-keys.ts'
import { doOnce } from '../../../shared/data/reservations.ts'
import type { TableId } from '../../../shared/data/tables.ts'
import { transaction } from '../../../shared/data/transaction.ts'
import { digestOf, newApiKey } from '../../../shared/model/api-key.ts'
import { scopes } from '../../../shared/service.ts'
import { putItem, storedItems } from '../../support/database.ts'
import { example, has } from '../../support/example.ts'
import { filter, toys } from '../../support/toys.ts'

// Deployed tables hold items with these attributes, and during a release the version before still
// reads and writes them. Code may be renamed; what is stored may not.

const { table } = example
const { field, value, other } = filter
const body = { inscription: 'Rex', [field]: value }
const intent = { clientId: 'ann', operation: 'create', key: 'order-1742', request: 'a digest' }
const revision = '0b1c2d3e-4f50-4172-8394-a5b6c7d8e9fa'

const itemsOf = async (table: TableId, id: unknown) =>
  (await storedItems(table)).filter((item) => item.id === id)

afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

test.skipIf(!has.filter)(
  'a resource is stored with its fields, its partitions in the indexes, and its revision',
  async () => {
    vi.stubEnv('READ_SHARDS', '5')
    vi.stubEnv('WRITE_SHARDS', '5')

    const created = await toys.create(body)
    const { id } = created.resource
    const before = await itemsOf(table, id)
    const changed = await toys.change(id, { [field]: null })

    const shard = id % 5
    const filtered = { [field]: value, [`${field}Shard`]: `${value}#${shard}` }
    expect(before).toEqual([{ id, ...body, ...filtered, shard, revision: created.revision }])
    expect(await itemsOf(table, id)).toEqual([
      { id, inscription: 'Rex', shard, revision: changed.revision },
    ])
    for (const each of [created, changed])
      expect(each.revision).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
  },
)

test('an idempotency key is stored with a digest of the request and with its response, for 24 hours', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })
  const response = { status: 201, body: '{"id":7}', tag: `7-${revision}`, location: '/toys/7' }

  const token = await transaction(async (tx) => {
    await doOnce(tx, intent, async () => response)
    return tx.revision
  })

  const digest = '81d583a67152e1460833e0ace011c5cd09239225b1649ca68a600ba9e6eceda2'
  expect(await storedItems('idempotencyKeys')).toEqual([
    { intent: digest, request: 'a digest', ...response, expiresAt: 1_800_086_400, revision: token },
  ])
})

test('stored resources, idempotency keys and API keys are understood', async () => {
  const key = newApiKey('local')
  const digest = digestOf(key)
  const reserved = 'c16df478cf7349de101a96acfaf8315ebcaaa314636460527eb9891611ec9a7d'
  const [createdAt, expiresAt] = ['2026-11-20T12:00:00.000Z', 4e9]
  await putItem(table, { id: 1, ...body, shard: 0, [`${field}Shard`]: `${value}#0`, revision })
  const response = { status: 204, body: '' }
  const request = { intent: reserved, request: 'a digest' }
  await putItem('idempotencyKeys', { ...request, ...response, expiresAt, revision })
  const client = { keyId: 'key-1', clientId: 'ann', name: 'Ann' }
  await putItem('apiKeys', { digest, ...client, scopes, createdAt, expiresAt })

  expect(await toys.get(1)).toEqual({ resource: { id: 1, ...body }, revision })
  expect(await toys.list({ [field]: value, limit: 1, cursor: 2 })).toMatchObject({
    items: [{ id: 1 }],
  })
  const isNotDone = () => Promise.reject(new Error('It was done already.'))
  const replay = await transaction((tx) => doOnce(tx, { ...intent, key: 'order-1743' }, isNotDone))
  expect(replay).toEqual({ ...response, isReplay: true })
  expect(await toys.change(1, { [field]: other }, [`1-${revision}`])).toMatchObject({
    resource: { id: 1 },
  })
  expect(await apiKeys.find(key)).toMatchObject({ keyId: 'key-1', clientId: 'ann', scopes })
})

test('an item without a revision is a bug', async () => {
  await putItem(table, { id: 4, ...body, shard: 0 })

  for (const work of [toys.get(4), toys.change(4, {})])
    await expect(work).rejects.toThrow(new Error(`The item 4 of ${table} has no revision.`))
})
