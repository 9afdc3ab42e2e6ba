import { randomUUID } from 'node:crypto'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import * as apiKeys from '../../../shared/data/api-keys.ts'
import { dynamodb, withinBudget } from '../../../shared/data/dynamodb.ts'
import { pets } from '../../../shared/data/pets.ts'
import { newApiKey } from '../../../shared/model/api-key.ts'
import { againIfBusy, proxy } from '../../support/database.ts'
import { databaseResponse, databaseResponses, type Fault } from '../../support/fault-proxy.ts'

const newPet = { name: 'Rex', categoryId: 7 }
const { resource: rex } = await pets.create({ ...newPet, status: 'sold' })

afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

test('these tests use the lean client of the bundle, unless STOCK_CLIENT is set', () => {
  expect(dynamodb instanceof DynamoDBDocumentClient).toBe(Boolean(process.env.STOCK_CLIENT))
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

describe('requests to DynamoDB', againIfBusy, () => {
  let requests: { operation: string; body: unknown }[] = []

  beforeEach(() => {
    requests = []
    proxy.faultOf = ({ operation, body }) => {
      requests.push({ operation, body: JSON.parse(body) })
      return 'pass'
    }
  })

  test('reads are strongly consistent, so they see what was created, reserved or revoked before', async () => {
    const intent = { clientId: 'ann', operation: 'createPet', key: randomUUID() }

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
    [{ limit: 3 }, 'newest'],
    [{ limit: 3, status: 'sold', before: 9 }, 'byStatus'],
  ] as const)('the page %o is one query, for one pet more than the page has', async (page, index) => {
    await pets.list(page)

    expect(requests).toMatchObject([{ operation: 'Query', body: { IndexName: index, Limit: 4 } }])
  })

  test('a change sends the fields that change, its revision, and the tags that can be of this service', async () => {
    vi.stubEnv('WRITE_SHARDS', '5')
    const { id } = rex
    const revision = 'ab'.repeat(16)

    await pets.change(id, { status: 'sold' }, [`${id}`, `${revision}-7`, 'of another service'])

    const values = {
      ':status': { S: 'sold' },
      ':statusShard': { S: `sold#${id % 5}` },
      ':revision': { S: expect.stringMatching(/^[\da-f]{32}$/) },
      ':revision1': { S: revision },
      ':changes1': { N: '7' },
      ':1': { N: '1' },
    }
    expect(requests).toEqual([
      { operation: 'UpdateItem', body: expect.objectContaining({ ExpressionAttributeValues: values }) },
    ])
  })
})
