import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { DynamoDBDocumentClient } from '../../../infra/bundle/lean-client/lib-dynamodb.ts'
import * as apiKeys from '../../../shared/data/api-keys.ts'
import { dynamodb, withinBudget } from '../../../shared/data/dynamodb.ts'
import * as pets from '../../../shared/data/pets.ts'
import { newApiKey } from '../../../shared/model/api-key.ts'
import { proxy, storedPet } from '../../support/database.ts'
import { databaseResponse, databaseResponses, type Fault } from '../../support/fault-proxy.ts'

const newPet = { name: 'Rex', categoryId: 7 }
const { resource: rex } = await pets.create({ ...newPet, status: 'sold' })

afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

test('these tests use the lean client of the bundle, unless STOCK_CLIENT is set', () => {
  expect(dynamodb instanceof DynamoDBDocumentClient).toBe(!process.env.STOCK_CLIENT)
})

test('withinBudget ends concurrent requests when the work fails', async () => {
  let signal: AbortSignal | undefined

  const work = withinBudget(async ({ abortSignal }) => {
    signal = abortSignal
    throw new Error('One of the queries failed.')
  })

  await expect(work).rejects.toThrow('One of the queries failed.')
  expect(signal?.aborted).toBe(true)
})

test('withinBudget ends nothing when the work succeeds', async () => {
  const signal = await withinBudget(async ({ abortSignal }) => abortSignal)

  expect(signal.aborted).toBe(false)
})

test('withinBudget ends the work after three seconds with a 503', async () => {
  vi.useFakeTimers()
  let signal: AbortSignal | undefined
  const work = withinBudget(async ({ abortSignal }) => {
    signal = abortSignal
    await new Promise((resolve) => abortSignal.addEventListener('abort', resolve))
    abortSignal.throwIfAborted()
  }).catch((error) => error)

  vi.advanceTimersByTime(2999)
  const early = signal?.aborted
  vi.advanceTimersByTime(1)

  expect([early, signal?.aborted]).toEqual([false, true])
  expect(await work).toMatchObject({ status: 503 })
})

test('a bug is no 503: a table that does not exist', async () => {
  vi.stubEnv('PETS_TABLE', 'Absent')
  vi.stubEnv('API_KEYS_TABLE', 'Absent')
  const key = newApiKey('local')
  const { id } = rex
  const reads = [pets.find(id), pets.list({ limit: 1 }), apiKeys.find(key)]
  const work = [...reads, pets.create(newPet), pets.change(id, newPet), pets.remove(id)]

  const errors = await Promise.all(work.map((each: Promise<unknown>) => each.catch((error) => error)))

  const expected = expect.objectContaining({ name: 'ResourceNotFoundException', $fault: 'client' })
  expect(errors).toEqual(work.map(() => expected))
})

test('a bug is no 503: a value that the SDK cannot send', async () => {
  await expect(pets.find(Number.NaN)).rejects.toThrow('Special numeric value NaN is not allowed')
})

const canceled = (...codes: string[]) =>
  databaseResponse(400, {
    __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
    message: 'Made by the test.',
    CancellationReasons: codes.map((Code) => ({ Code })),
  })

// The lean client has no transactions.
const transactions: [string, Fault, object][] = [
  ['a transaction that met another one', canceled('None', 'TransactionConflict'), { status: 503 }],
  ['a transaction that was throttled', canceled('ThrottlingError', 'None'), { status: 503 }],
  // The caller of the transaction decides what a false condition means.
  ['a transaction with a false condition', canceled('ConditionalCheckFailed'), { $fault: 'client' }],
  [
    'a false condition beside a conflict',
    canceled('TransactionConflict', 'ConditionalCheckFailed'),
    { $fault: 'client' },
  ],
]

test.each<[string, Fault, object]>([
  ['a write of an item that a transaction holds', databaseResponses.transactionConflict, { status: 503 }],
  ...(process.env.STOCK_CLIENT ? transactions : []),
])('what a caller gets for %s', async (_, response, expected) => {
  proxy.faultOf = () => response

  const error = await pets.change(rex.id, newPet).catch((failure) => failure)

  expect(error).toMatchObject(expected)
})

describe('requests to DynamoDB', () => {
  let requests: { operation: string; body: unknown }[] = []

  beforeEach(() => {
    requests = []
    proxy.faultOf = ({ operation, body }) => {
      requests.push({ operation, body: JSON.parse(body) })
      return 'pass'
    }
  })

  test('reads are strongly consistent, so they see what was created, reserved or revoked before', async () => {
    const intent = { clientId: 'ann', operation: 'createPet', key: 'order-1742' }

    await pets.find(7)
    await pets.create(newPet, intent)
    await pets.create(newPet, intent)
    await apiKeys.find(newApiKey('local'))

    const reads = requests.filter(({ operation }) => operation === 'GetItem')
    const consistent = (table: string) =>
      expect.objectContaining({ TableName: `PetStoreLocal-${table}`, ConsistentRead: true })
    expect(reads.map(({ body }) => body)).toEqual(['Pets', 'IdempotencyKeys', 'Pets', 'ApiKeys'].map(consistent))
  })

  test.each([
    [{ limit: 3 }, 'newest', 'shard', { N: '0' }],
    [{ limit: 3, status: 'sold', before: 9 }, 'byStatus', 'statusShard', { S: 'sold#0' }],
  ] as const)('the page %o is one query, for one pet more than the page has', async (page, index, name, value) => {
    await pets.list(page)

    const before = 'before' in page
    const body = {
      TableName: 'PetStoreLocal-Pets',
      IndexName: index,
      KeyConditionExpression: `#partition = :partition${before ? ' AND id < :before' : ''}`,
      ExpressionAttributeNames: { '#partition': name },
      ExpressionAttributeValues: { ':partition': value, ...(before && { ':before': { N: '9' } }) },
      ScanIndexForward: false,
      Limit: 4,
    }
    expect(requests).toEqual([{ operation: 'Query', body }])
  })

  test('a change is one request, which sets or removes what changes, and the revision', async () => {
    vi.stubEnv('WRITE_SHARDS', '5')
    const { id } = rex

    await pets.change(id, { name: 'Max', status: 'sold' })
    const failed = pets.change(id, { status: null }, [`${id}`, 'ab'.repeat(16), 'of another service'])
    await expect(failed).rejects.toMatchObject({ status: 412 })

    const input = { TableName: 'PetStoreLocal-Pets', Key: { id: { N: `${id}` } }, ReturnValues: 'ALL_NEW' }
    const status = { '#status': 'status', '#statusShard': 'statusShard', '#shard': 'shard', '#revision': 'revision' }
    const revision = { S: expect.stringMatching(/^[\da-f]{32}$/) }
    const sold = { ':name': { S: 'Max' }, ':status': { S: 'sold' }, ':statusShard': { S: `sold#${id % 5}` } }
    const changed = {
      ...input,
      UpdateExpression: 'SET #name = :name, #status = :status, #statusShard = :statusShard, #revision = :revision',
      ConditionExpression: 'attribute_exists(#shard)',
      ExpressionAttributeNames: { '#name': 'name', ...status },
      ExpressionAttributeValues: { ...sold, ':revision': revision },
    }
    const removed = {
      ...input,
      UpdateExpression: 'SET #revision = :revision REMOVE #status, #statusShard',
      ConditionExpression:
        'attribute_exists(#shard) AND (#revision IN (:expected0) OR attribute_not_exists(#revision))',
      ExpressionAttributeNames: status,
      ExpressionAttributeValues: { ':expected0': { S: 'ab'.repeat(16) }, ':revision': revision },
    }
    const sent = requests.filter(({ operation }) => operation === 'UpdateItem')
    expect(sent).toEqual([changed, removed].map((body) => ({ operation: 'UpdateItem', body })))
  })

  test('a delete is one request, which leaves the origin of the pet for longer than any retry', async () => {
    const intent = { clientId: 'ann', operation: 'createPet', key: 'order-1743' }
    const { resource: pet } = await pets.create({ ...newPet, status: 'sold' }, intent)
    const created = await storedPet(pet.id)
    requests = []
    vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })

    await pets.remove(pet.id)

    const expiresAt = 1_800_000_000 + 48 * 60 * 60
    const origin = { creation: created?.creation, reservation: created?.reservation }
    const left = { id: pet.id, ...origin, deletion: expect.any(String), expiresAt }
    expect(requests.map(({ operation }) => operation)).toEqual(['UpdateItem'])
    expect(origin).toEqual({ creation: expect.any(String), reservation: expect.any(String) })
    expect(await storedPet(pet.id)).toEqual(left)
  })

  test.each(['sold', undefined] as const)(
    'a pet with the status %s is written to the shard of its id',
    async (status) => {
      vi.stubEnv('WRITE_SHARDS', '5')

      const { resource: pet } = await pets.create({ ...newPet, ...(status && { status }) })

      const shard = Number(pet.id) % 5
      const keys = { shard, ...(status && { statusShard: `${status}#${shard}` }) }
      expect(await storedPet(pet.id)).toEqual({ ...pet, ...keys, creation: expect.any(String) })
    },
  )
})
