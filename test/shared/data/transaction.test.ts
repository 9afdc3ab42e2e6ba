import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { runTransaction } from '../../../shared/data/run-transaction.ts'
import { tableName } from '../../../shared/data/tables.ts'
import type { Transaction } from '../../../shared/data/transaction.ts'
import { DynamoDBStore, type Key } from '../../../shared/data/transaction-store.ts'
import { conflict } from '../../../shared/model/api-error.ts'
import {
  deleteItem,
  failAlways,
  failOnce,
  proxy,
  putItem,
  retryOnBusyMachine,
  storedItems,
} from '../../support/database.ts'
import { canceled, databaseResponses, type Fault, lostResponse } from '../../support/fault-proxy.ts'

const pet = (id: number): Key => ({ table: 'pets', value: id })
const [a, b, c, d, e] = [pet(1), pet(2), pet(3), pet(4), pet(5)]
const reservation: Key = { table: 'idempotencyKeys', value: 'a key' }

const store = ({ value: id }: Key, revision: string) => putItem('pets', { id, revision })
/** The revisions of the stored pets, by their ids. */
const revisions = async () =>
  Object.fromEntries((await storedItems()).map(({ id, revision }) => [id, revision]))

/** Reads items one after the other. */
const readAll = async (tx: Transaction, ...keys: Key[]) => {
  const items = []
  for (const each of keys) items.push(await tx.read(each))
  return items
}

beforeEach(async () => {
  for (const { id } of await storedItems()) await deleteItem('pets', { id })
  await deleteItem('idempotencyKeys', { intent: reservation.value })
  await Promise.all([store(a, 'a1'), store(b, 'b1')])
})

afterEach(() => vi.restoreAllMocks())

test(
  'writes all that was put or removed, with one revision, and returns the result',
  retryOnBusyMachine,
  async () => {
    const revision = await runTransaction(async (tx) => {
      await readAll(tx, a, b)
      tx.put(a, { more: 1 })
      tx.remove(b)
      tx.put(c, { more: 2, id: 7, revision: 'another revision' })
      return tx.revision
    })

    expect(await revisions()).toEqual({ 1: revision, 3: revision })
    expect(proxy.counts).toEqual({ GetItem: 2, TransactWriteItems: 1 })
  },
)

test('writes nothing if the work throws, or only reads', retryOnBusyMachine, async () => {
  const error = new Error('Made by the test.')
  const failed = runTransaction(async (tx) => {
    tx.put(c, {})
    throw error
  })

  await expect(failed).rejects.toBe(error)
  expect(await runTransaction((tx) => tx.read(a))).toEqual({ id: 1, revision: 'a1' })
  expect(proxy.counts).toEqual({ GetItem: 1 })
})

test(
  'the work sees its own writes, and reads no item again that it has read or is reading',
  retryOnBusyMachine,
  async () => {
    const seen = await runTransaction(async (tx) => {
      const [first, second] = await Promise.all([tx.read(a), tx.read(a), tx.read(b)])
      tx.put(a, { more: 1 })
      tx.remove(b)
      tx.put(d, { more: 2 })
      return [first, second, ...(await readAll(tx, a, b, d))]
    })

    const found = { id: 1, revision: 'a1' }
    expect(seen).toMatchObject([found, found, { more: 1 }, undefined, { more: 2 }])
    expect(proxy.counts).toEqual({ GetItem: 2, TransactWriteItems: 1 })
  },
)

test(
  'a refusal writes its reservation alone, and does not check what it read',
  retryOnBusyMachine,
  async () => {
    const writes: object[] = []
    proxy.faultOf = ({ operation, body }) => {
      if (operation === 'TransactWriteItems') writes.push(...JSON.parse(body).TransactItems)
      return 'pass'
    }

    await runTransaction(async (tx) => {
      await readAll(tx, reservation, a)
      tx.remove(a)
      tx.put(c, {})
      tx.rollBack()
      tx.put(d, {}) // As by a call that was pending.
      tx.put(reservation, {})
    })

    expect(writes).toMatchObject([{ Put: { TableName: tableName('idempotencyKeys') } }])
    expect(await revisions()).toEqual({ 1: 'a1', 2: 'b1' })
    expect(proxy.counts).toEqual({ GetItem: 2, TransactWriteItems: 1 })
  },
)

test('an item that was read cannot be changed, because the work may run again', async () => {
  const change = runTransaction(async (tx) => Object.assign((await tx.read(a)) ?? {}, { more: 1 }))

  await expect(change).rejects.toThrow(TypeError)
})

describe('runs again', () => {
  const isRefused = async () =>
    failOnce({ TransactWriteItems: canceled('TransactionConflict', 'ConditionalCheckFailed') })

  const put = (tx: Transaction) => tx.put(a, {})
  const remove = (tx: Transaction) => tx.remove(a)

  test.each<[string, (tx: Transaction) => void, () => Promise<unknown>]>([
    ['an item that it puts has changed', put, () => store(a, 'a2')],
    ['an item that it removes has changed', remove, () => store(a, 'a2')],
    ['an item that it only reads has changed', put, () => store(b, 'b2')],
    ['a condition is false beside a conflict', put, isRefused],
  ])('when %s', async (_, write, happens) => {
    let count = 0

    await runTransaction(async (tx) => {
      await readAll(tx, a, b)
      if (++count === 1) await happens()
      write(tx)
    })

    expect(count).toBe(2)
  })

  test(
    'when it throws because of items that never existed together',
    retryOnBusyMachine,
    async () => {
      const sums: string[] = []

      const outcome = await runTransaction(async (tx) => {
        const before = await tx.read(a)
        if (sums.length === 0) await Promise.all([store(a, 'a2'), store(b, 'b2')])
        const after = await tx.read(b)
        sums.push(`${before?.revision} ${after?.revision}`)
        throw conflict(`${sums.at(-1)}`)
      }).catch((error) => error.message)

      expect([outcome, sums]).toEqual(['a2 b2', ['a1 b2', 'a2 b2']])
      expect(proxy.counts).toEqual({ GetItem: 4, TransactGetItems: 2 })
    },
  )

  test('only if an item is not as it was read', retryOnBusyMachine, async () => {
    expect(await runTransaction((tx) => readAll(tx, a, b, e))).toMatchObject([
      { revision: 'a1' },
      { revision: 'b1' },
      undefined,
    ])
    expect(proxy.counts).toEqual({ GetItem: 3, TransactGetItems: 1 })
  })
})

describe('a mistake is an error that says what to do:', () => {
  const UNREAD = 'pets 3 must be read before it is removed.'
  const PENDING = 'The function returned while a call with its tx was pending. Await each of them.'
  let left: Transaction | undefined

  test.each<[string, (tx: Transaction) => unknown, string]>([
    ['to remove what was not read', (tx) => tx.remove(c), UNREAD],
    ['to remove what is new', (tx) => [tx.put(c, {}), tx.remove(c)], UNREAD],
    ['not to await a read', (tx) => void tx.read(a), PENDING],
    ['not to await a change', (tx) => void tx.read(a).then(() => tx.put(a, {})), PENDING],
    [
      'to use tx later',
      async (tx) => {
        await left?.read(a)
        left = tx
      },
      'The transaction has ended. Use tx only in the function that gets it.',
    ],
  ])('%s', async (_, work, message) => {
    await runTransaction(async (tx) => (left = tx))

    await expect(runTransaction(async (tx) => void (await work(tx)))).rejects.toThrow(
      new Error(message),
    )
    expect(await revisions()).toEqual({ 1: 'a1', 2: 'b1' })
  })

  test('a call of the database that failed ends the run, even if the work catches it', async () => {
    failOnce({ GetItem: databaseResponses.accessDenied })

    const work = runTransaction((tx) => tx.read(a).catch(() => 'nothing'))

    await expect(work).rejects.toMatchObject({ name: 'AccessDeniedException' })
  })
})

test('two failed calls cause no unhandled rejection, although one is never awaited', async () => {
  const left = vi.fn()
  process.on('unhandledRejection', left)
  onTestFinished(() => void process.off('unhandledRejection', left))
  failAlways(databaseResponses.accessDenied)

  const work = runTransaction(async (tx) => {
    const read = async (key: Key) => tx.read(key)
    const [first, second] = [read(a), read(b)]
    await first
    await second
  })

  await expect(work).rejects.toMatchObject({ name: 'AccessDeniedException' })
  await proxy.settled()
  await nextTurn()
  expect(left).not.toHaveBeenCalled()
})

test('an error of the work counts while reads are pending', async () => {
  const error = conflict('Made by the test.')

  const work = runTransaction((tx) =>
    Promise.all([tx.read(a), tx.read(b), nextTurn().then(() => Promise.reject(error))]),
  )

  await expect(work).rejects.toBe(error)
})

const { transactionInProgress, throughputExceeded } = databaseResponses
const inProgress = [transactionInProgress, transactionInProgress, transactionInProgress]
const conflicts = [
  canceled('TransactionConflict', 'None'),
  canceled('ThrottlingError', 'TransactionConflict'),
]

/**
 * Changes an item, with these faults of its writes. Returns the tokens, the number of runs, and the
 * numbers of the pauses: how long each takes is tested in dynamodb.test.ts.
 */
const changeWith = async (...faults: Fault[]) => {
  vi.spyOn(Math, 'random').mockReturnValue(0) // Pauses take no time.
  const pause = vi.spyOn(DynamoDBStore.prototype, 'pause')
  const tokens: string[] = []
  let runs = 0
  proxy.faultOf = ({ operation, body }) => {
    if (operation !== 'TransactWriteItems') return 'pass'
    tokens.push(JSON.parse(body).ClientRequestToken)
    return faults.shift() ?? 'pass'
  }
  await runTransaction(async (tx) => {
    runs++
    await readAll(tx, a, b)
    tx.put(a, {})
  })
  return { tokens, runs, pauses: pause.mock.calls.flat() }
}

// The SDK and the lean client send a request three times.
test.each<[string, Fault[], number, number[]]>([
  ['its response was lost', [lostResponse, ...conflicts], 4, [1, 2]],
  ['its send failed', [throughputExceeded, ...conflicts], 4, [1, 2]],
  ['it is in progress', [...inProgress, ...conflicts], 6, [1, 2, 3]],
])(
  'the same write is sent, after pauses, while others hold its items, if %s',
  async (_, faults, sends, expected) => {
    const { tokens, runs, pauses } = await changeWith(...faults)

    expect([tokens, runs, pauses]).toEqual([Array(sends).fill(tokens[0]), 1, expected])
  },
)

test('decides again, after pauses, when its only send was canceled: nothing of it is on its way', async () => {
  const { tokens, runs, pauses } = await changeWith(...conflicts)

  expect([new Set(tokens).size, tokens.length, runs, pauses]).toEqual([3, 3, 3, [1, 2]])
  expect(await revisions()).toMatchObject({ 1: tokens[2] })
})

test('a function may use 99 items, besides its idempotency record; DynamoDB refuses more', async () => {
  const putAll = (count: number) =>
    runTransaction(async (tx) => {
      await tx.read(reservation)
      for (let i = 0; i < count; i++) tx.put(pet(1000 + i), {})
      tx.put(reservation, {})
    })

  const tooMany =
    "1 validation error detected: Value '[…]' at 'transactItems' failed to satisfy constraint: " +
    'Member must have length less than or equal to 100'
  await expect(putAll(100)).rejects.toHaveProperty('message', tooMany)
  await expect(putAll(99)).resolves.toBeUndefined()
})
