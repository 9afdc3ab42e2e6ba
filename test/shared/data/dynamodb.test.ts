import { randomUUID } from 'node:crypto'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterEach, expect, test, vi } from 'vitest'
import * as apiKeys from '../../../shared/data/api-keys.ts'
import { dynamodb, withDeadline } from '../../../shared/data/dynamodb.ts'
import { mapToUnavailable } from '../../../shared/data/failures.ts'
import { storedResponse } from '../../../shared/data/idempotency.ts'
import { runTransaction } from '../../../shared/data/run-transaction.ts'
import { tableName } from '../../../shared/data/tables.ts'
import { DynamoDBStore } from '../../../shared/data/transaction-store.ts'
import { newApiKey } from '../../../shared/model/api-key.ts'
import { pets as withTransaction } from '../../../shared/pets/pets.ts'
import { proxy, retryOnBusyMachine } from '../../support/database.ts'
import {
  canceled,
  databaseResponse,
  databaseResponses,
  type Fault,
  lostResponse,
} from '../../support/fault-proxy.ts'
import { inOwnTransactions } from '../../support/in-own-transactions.ts'
import { newPet } from '../../support/pets.ts'

const pets = inOwnTransactions(withTransaction)

const untilAborted = async (signal: AbortSignal) => {
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  signal.throwIfAborted()
}

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test('these tests use the lean client of the bundle, unless STOCK_CLIENT is set', () => {
  expect(dynamodb instanceof DynamoDBDocumentClient).toBe(Boolean(process.env.STOCK_CLIENT))
})

test('withDeadline ends concurrent requests when the work fails', async () => {
  vi.useFakeTimers()
  let signal: AbortSignal | undefined

  const work = withDeadline(async ({ abortSignal }) => {
    signal = abortSignal
    throw new Error('One of the queries failed.')
  })

  await expect(work).rejects.toThrow('One of the queries failed.')
  expect(signal?.aborted).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

test('withDeadline ends the work after three seconds, with a 503', async () => {
  vi.useFakeTimers()
  let signal: AbortSignal | undefined
  const work = withDeadline(async (budget) => {
    signal = budget.abortSignal
    return mapToUnavailable(untilAborted(budget.abortSignal))
  }).catch((error) => error)

  vi.advanceTimersByTime(2999)
  const early = signal?.aborted
  vi.advanceTimersByTime(1)

  expect([early, signal?.aborted]).toEqual([false, true])
  expect(await work).toMatchObject({ status: 503 })
})

test('an invalid value and an error of another AWS service are not a 503', async () => {
  const metadata = { $metadata: { httpStatusCode: 503 } }
  const error = Object.assign(new Error('The topic is busy.'), metadata)

  await expect(pets.get(Number.NaN)).rejects.toThrow('Special numeric value NaN is not allowed')
  await expect(runTransaction(() => Promise.reject(error))).rejects.toBe(error)
})

const one = { table: 'pets', value: 1 } as const
const other = { table: 'pets', value: 2 } as const
const both = [one, other].map((key) => ({ key, expected: 'x' }))
const check = { kind: 'check', key: one, expected: 'x' } as const
const { throughputExceeded, internalServerError } = databaseResponses
const requestLimit = databaseResponse(400, { __type: 'RequestLimitExceeded', message: 'Too many.' })
const THROUGHPUT = 'ProvisionedThroughputExceededException: Made by the test.'
const INTERNAL = 'InternalServerError: Made by the test.'
const LIMIT = 'RequestLimitExceeded: Too many.'

test.each<[string, Fault, string, (store: DynamoDBStore) => Promise<unknown>]>([
  ['a read of an item', throughputExceeded, THROUGHPUT, (store) => store.read(one)],
  ['a read of two items', internalServerError, INTERNAL, (store) => store.check(both)],
  ['a read at the limit of requests', requestLimit, LIMIT, (store) => store.read(one)],
  ['a list', internalServerError, INTERNAL, (store) => store.list({ table: 'pets', limit: 1 })],
  ['a write', throughputExceeded, THROUGHPUT, (store) => store.write('a', [check])],
])(
  '%s that fails each time is a 503, which says on one line why',
  async (_, fault, cause, work) => {
    vi.spyOn(Math, 'random').mockReturnValue(0) // No pauses.
    proxy.faultOf = () => fault
    const store = new DynamoDBStore({ abortSignal: new AbortController().signal })

    await expect(work(store)).rejects.toMatchObject({ status: 503, cause })
  },
)

test.each<[string, (store: DynamoDBStore) => Promise<boolean>]>([
  ['write', (store) => store.write('a', [check])],
  ['read of two items', (store) => store.check(both)],
])('a %s that is canceled by a conflict may run again, until the deadline', async (_, call) => {
  const deadline = new AbortController()
  const store = new DynamoDBStore({ abortSignal: deadline.signal })
  proxy.faultOf = () => canceled('TransactionConflict')

  const succeeded = await call(store)
  deadline.abort()

  expect(succeeded).toBe(false)
  const cause =
    'Each attempt met another transaction or throttling, or put what exists and was not read.'
  await expect(store.pause(1)).rejects.toMatchObject({ status: 503, cause })
})

test.each([
  [1, 40],
  [2, 80],
  [5, 500],
  [50, 500],
])('the pause %d takes up to %d ms', async (count, milliseconds) => {
  vi.spyOn(Math, 'random').mockReturnValue(1)
  const store = new DynamoDBStore({ abortSignal: new AbortController().signal })
  const started = performance.now()

  await store.pause(count) // Without a limit, it would take longer than the test may.

  expect(performance.now() - started).toBeGreaterThan(milliseconds - 2)
})

test('a write whose first response was lost is a 503, whatever its resend gets', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // No pauses.
  const faults: Fault[] = [lostResponse, databaseResponses.accessDenied]
  proxy.faultOf = () => faults.shift() ?? 'pass'

  await expect(pets.create(newPet())).rejects.toMatchObject({ status: 503 })
  expect(faults).toEqual([])
})

test('the error for a value that DynamoDB refuses is the one of DynamoDB', async () => {
  proxy.faultOf = () => canceled('None', 'ValidationError')

  const created = pets.create(newPet())

  await expect(created).rejects.toMatchObject({ name: 'TransactionCanceledException' })
})

test(
  'reads of items, reservations and API keys are strongly consistent',
  retryOnBusyMachine,
  async () => {
    const reads: object[] = []
    proxy.faultOf = ({ operation, body }) => {
      if (operation === 'GetItem') reads.push(JSON.parse(body))
      return 'pass'
    }
    const keyed = { clientId: 'ann', operation: 'create', key: randomUUID(), request: 'a' }

    await runTransaction((tx) => storedResponse(tx, keyed))
    const { id } = await pets.create(newPet())
    await pets.get(id)
    await apiKeys.findKeyHolder(newApiKey('local'))

    const tables = (['idempotencyKeys', 'pets', 'apiKeys'] as const).map(tableName)
    expect(reads).toMatchObject(tables.map((TableName) => ({ TableName, ConsistentRead: true })))
  },
)
