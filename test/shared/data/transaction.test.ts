import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Key } from '../../../shared/data/database.ts'
import { type Transaction, transaction } from '../../../shared/data/transaction.ts'
import { againIfBusy, once, proxy, putItem, storedItems } from '../../support/database.ts'
import { canceled, databaseResponses, type Fault } from '../../support/fault-proxy.ts'

const key = (value: string): Key => ({ table: 'idempotencyKeys', value })
const [a, b, c, d] = [key('a'), key('b'), key('c'), key('d')]

/** Reads items at the same moment. */
const readAll = async (tx: Transaction, ...keys: Key[]) => {
  await tx.readTogether(...keys)
  return Promise.all(keys.map(tx.read))
}

const store = (intent: unknown, revision: string) => putItem('idempotencyKeys', { intent, revision })
const stored = async () => new Map((await storedItems('idempotencyKeys')).map((item) => [item.intent, item.revision]))

beforeEach(async () => {
  await store('a', 'a1')
  await store('b', 'b1')
})

afterEach(() => vi.restoreAllMocks())

test('writes all that was put or deleted, with one revision, and returns the result', againIfBusy, async () => {
  const revision = await transaction(async (tx) => {
    await tx.readTogether(a, b)
    tx.put(a, { intent: 'a' })
    tx.remove(b)
    tx.put(c, { intent: 'c' })
    return tx.revision
  })

  expect(await stored()).toEqual(
    new Map([
      ['a', revision],
      ['c', revision],
    ]),
  )
  expect(proxy.counts).toEqual({ TransactGetItems: 1, TransactWriteItems: 1 })
})

test('writes nothing if the work throws, or only reads', againIfBusy, async () => {
  const error = new Error('Made by the test.')
  const failed = transaction(async (tx) => {
    tx.put(c, { intent: 'c' })
    throw error
  })

  await expect(failed).rejects.toBe(error)
  expect(await transaction((tx) => tx.read(a))).toEqual({ intent: 'a', revision: 'a1' })
  expect(proxy.counts).toEqual({ GetItem: 1 })
})

test('the work sees its own writes, and reads no item again that it has read', againIfBusy, async () => {
  const seen = await transaction(async (tx) => {
    const before = await readAll(tx, a, b)
    tx.put(a, { intent: 'a', more: 1 })
    tx.remove(b)
    tx.put(d, { intent: 'd', more: 2 })
    return [...before, ...(await readAll(tx, a, b, d))].map((item) => item?.more)
  })

  expect(seen).toEqual([undefined, undefined, 1, undefined, 2])
  expect(proxy.counts).toEqual({ TransactGetItems: 1, TransactWriteItems: 1 })
})

test.each<[string, (open: Transaction) => unknown]>([
  ['unread', (tx) => tx.remove(c)],
  ['new', async (tx) => [tx.put(c, { intent: 'c' }), await tx.read(c), tx.remove(c)]],
])('an item that is %s cannot be deleted', async (_, work) => {
  const message = 'idempotencyKeys c must be read from the table before it is deleted.'

  await expect(transaction(async (tx) => work(tx))).rejects.toThrow(message)
})

test('an item that is named twice is read once', againIfBusy, async () => {
  expect(await transaction((tx) => readAll(tx, a, a))).toMatchObject([{ intent: 'a' }, { intent: 'a' }])
  expect(proxy.counts).toEqual({ GetItem: 1 })
})

describe('runs again', () => {
  const isRefused = async () => once({ TransactWriteItems: canceled('TransactionConflict', 'ConditionalCheckFailed') })

  test.each<[string, () => Promise<unknown>, Key[]]>([
    ['an item that it only reads has changed', () => store('b', 'b2'), [a, b]],
    ['an item that it only reads was created', () => store('c', 'c1'), [a, c]],
    ['a condition is false beside a conflict', isRefused, [a]],
  ])('when %s', async (_, happens, keys) => {
    let count = 0

    await transaction(async (tx) => {
      await tx.readTogether(...keys)
      if (++count === 1) await happens()
      tx.put(a, { intent: 'a' })
    })

    expect(count).toBe(2)
  })

  test('when an item that it reads beside another one has changed since', async () => {
    let count = 0

    const pairs = await transaction(async (tx) => {
      const before = await tx.read(a)
      if (++count === 1) await store('a', 'a2')
      return [before, ...(await readAll(tx, a, b))].map((item) => item?.revision)
    })

    expect([count, pairs]).toEqual([2, ['a2', 'a2', 'b1']])
  })
})

test('sends the same request again while other transactions hold its items', againIfBusy, async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // No pauses.
  const { transactionInProgress } = databaseResponses
  const faults: Fault[] = [
    canceled('TransactionConflict', 'None'),
    canceled('ThrottlingError', 'TransactionConflict'),
    // The SDK sends a request three times.
    ...[transactionInProgress, transactionInProgress, transactionInProgress],
  ]
  const bodies: string[] = []
  proxy.faultOf = ({ operation, body }) => {
    if (operation !== 'TransactWriteItems') return bodies.length === 0 ? 'pass' : 'cut'
    bodies.push(body)
    return faults.shift() ?? 'pass'
  }

  await transaction(async (tx) => {
    await tx.readTogether(a, b)
    tx.put(a, { intent: 'a' })
  })

  expect(bodies).toEqual(Array(6).fill(bodies[0]))
})

test('reads several items again while other transactions hold them', againIfBusy, async () => {
  once({ TransactGetItems: canceled('None', 'TransactionConflict') })

  const items = await transaction((tx) => readAll(tx, a, b))

  expect(items.map((item) => item?.revision)).toEqual(['a1', 'b1'])
  expect(proxy.counts).toEqual({ TransactGetItems: 2 })
})
