import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { tableIds, tableName, tables } from '../../shared/data/tables.ts'
import { proxy, putItem, storedItems, storeKey } from '../support/database.ts'
import type { FakeResponse } from '../support/fake-api.ts'
import { canceled, type Fault } from '../support/fault-proxy.ts'
import { invoke } from '../support/invoke.ts'
import { storedPet } from '../support/pets.ts'
import { eventFrom } from './cases.ts'

const CLIENTS = 200

// All time limits of the service are longer, because a busy machine is slower than AWS. So is a
// write, which takes some 20 ms there.
const SLOWER = 30
const WRITE_MS = 20 * SLOWER

const { setTimeout } = globalThis
const slower: typeof setTimeout = Object.assign(
  (work: () => void, milliseconds = 0, ...rest: []) =>
    setTimeout(work, milliseconds * SLOWER, ...rest),
  setTimeout,
)
vi.spyOn(globalThis, 'setTimeout').mockImplementation(slower)

/** The items of a transaction, by table and partition key. */
const itemsOf = (body: string): string[] => {
  const actions: object[] = JSON.parse(body).TransactItems
  return actions.map((action) => {
    const [{ TableName, Key, Item }] = Object.values(action)
    const table = tableIds.find((id) => tableName(id) === TableName) ?? 'pets'
    return `${table} ${JSON.stringify((Key ?? Item)[tables[table].partitionKey.name])}`
  })
}

/**
 * Lets transactions conflict as in DynamoDB: while a write takes effect, others that use one of its
 * items are canceled. The first write takes effect when all clients have decided. Returns the
 * conflicts by item.
 */
const letWritesConflict = (): Record<string, number> => {
  const conflicts: Record<string, number> = {}
  const inUse = new Set<string>()
  const conflictOf = (items: string[]): FakeResponse | undefined => {
    const busy = items.filter((each) => inUse.has(each))
    for (const each of busy) conflicts[each] = (conflicts[each] ?? 0) + 1
    const codes = items.map((each) => (inUse.has(each) ? 'TransactionConflict' : 'None'))
    return busy.length > 0 ? canceled(...codes) : undefined
  }
  const decided = new Set<string>()
  const allDecided = Promise.withResolvers<void>()

  proxy.faultOf = ({ operation, body }): Fault => {
    if (!operation.startsWith('Transact')) return 'pass'
    const items = itemsOf(body)
    const conflict = conflictOf(items)
    if (operation === 'TransactGetItems') return conflict ?? 'pass'
    const isFirst = decided.size === 0
    // A client that was canceled decides again, with another token and the same key.
    decided.add(items.find((each) => each.startsWith('idempotencyKeys ')) ?? '')
    if (decided.size === CLIENTS) allDecided.resolve()
    if (conflict) return conflict
    for (const each of items) inUse.add(each)
    return async (execute) => {
      if (isFirst) await allDecided.promise
      const response = await execute()
      if (response.status === 200) await pause(WRITE_MS)
      for (const each of items) inUse.delete(each)
      return response
    }
  }
  return conflicts
}

test('of 200 clients that order one pet at once, one gets it, and all others a 409', async () => {
  await putItem('pets', storedPet(1))
  const apiKey = await storeKey()
  const orders = Array.from({ length: CLIENTS }, (_, client) =>
    eventFrom(apiKey, 'placeOrder-placed', {
      body: '{"petId":1}',
      headers: { 'Idempotency-Key': `client-${client}` },
    }),
  )
  const conflicts = letWritesConflict()

  const responses = await Promise.all(orders.map(invoke))

  const statuses = responses.map(({ status }) => status).sort()
  expect(statuses).toEqual([201, ...Array(CLIENTS - 1).fill(409)])
  expect(conflicts['pets {"N":"1"}']).toBeGreaterThanOrEqual(CLIENTS - 1)
  expect(await storedItems('orders')).toHaveLength(1)
  expect(await storedItems('idempotencyKeys')).toHaveLength(CLIENTS)
})
