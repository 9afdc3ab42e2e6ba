import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { GetCommand, TransactGetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import type { Int64 } from '../model/int64.ts'
import { dynamodb, isThrottling, type Options, withinBudget } from './dynamodb.ts'
import { type TableId, tableName, tables } from './tables.ts'

/** Names an item: its table, and the value of its partition key. */
export type Key = { table: TableId; value: Int64 | string }

/** An item that transactions write. Its `revision` is the token of the transaction that wrote it last. */
export type Item = Record<string, unknown> & { revision: string }

/** What the work of a transaction uses. */
export type Transaction = {
  /** The revision of all items that this transaction puts. */
  readonly revision: string
  /**
   * Reads items, those of one call at the same moment (strongly consistent). If all of them were read before, returns what
   * was read. What you throw, or return without a write, must follow from the items of one call.
   */
  read: (...keys: Key[]) => Promise<(Item | undefined)[]>
  /** Puts an item in place of the one that was read. If it was not read, no item may have the key. */
  put: (key: Key, attributes: object) => void
  /** Deletes an item that was read. */
  remove: (key: Key) => void
}

/**
 * Runs `work`, which reads what it needs, decides, and says what to write. All of it is written at once, on condition that
 * nothing that was read has changed since. Otherwise `work` runs again, so it must have no other effects. Throws an
 * ApiError 503 if DynamoDB is slow, throttled or unavailable, or if other transactions are faster each time.
 */
export const transaction = <T>(work: (open: Transaction) => Promise<T>): Promise<T> =>
  withinBudget((options) => runOn(databaseWith(options), work))

/** Runs `work` in the `open` transaction, or in one of its own. */
export const inside = <T>(open: Transaction | undefined, work: (open: Transaction) => Promise<T>): Promise<T> =>
  open ? work(open) : transaction(work)

/** What a transaction does with an item, if it has the revision `expected`; without one, if there is no item. */
export type Action = { key: Key; expected: string | undefined; put?: Item | undefined; isDelete?: boolean | undefined }

/** What transactions need of a database. */
export type Database = {
  /** Reads items at the same moment. */
  read: (keys: Key[]) => Promise<(Item | undefined)[]>
  /**
   * Carries out all actions, or none: `refused` if an item has another revision, `busy` if another transaction holds one.
   * All calls with one token take effect at most once. After `busy`, an earlier call with the token still may.
   */
  write: (token: string, actions: Action[]) => Promise<'written' | 'refused' | 'busy'>
  /** Pauses after so many attempts. */
  pause: (attempts: number) => Promise<void>
}

/** Runs a transaction on a database. */
export const runOn = async <T>(
  { read, write, pause }: Database,
  work: (open: Transaction) => Promise<T>,
  newToken: () => string = randomUUID,
): Promise<T> => {
  for (let attempts = 1; ; attempts++) {
    const token = newToken() // Random, because a revision must never recur.
    const { open, actions } = begin(token, read)
    const result = await work(open)
    const planned = actions()
    if (!planned.some(({ put, isDelete }) => put || isDelete)) return result
    let outcome = await write(token, planned)
    // The same token: with a new one, an earlier call whose response was lost could take effect, too.
    for (; outcome === 'busy'; attempts++) {
      await pause(attempts)
      outcome = await write(token, planned)
    }
    if (outcome === 'written') return result
    await pause(attempts)
  }
}

const begin = (revision: string, readItems: Database['read']) => {
  const found = new Map<string, { key: Key; item: Item | undefined }>()
  const writes = new Map<string, { key: Key; item?: Item }>()
  const open: Transaction = {
    revision,
    read: async (...keys) => {
      if (!keys.every((key) => found.has(nameOf(key)))) {
        const items = await readItems(keys)
        for (const [i, key] of keys.entries()) found.set(nameOf(key), { key, item: items[i] })
      }
      return keys.map((key) => found.get(nameOf(key))?.item)
    },
    put: (key, attributes) => writes.set(nameOf(key), { key, item: { ...attributes, revision } }),
    remove: (key) => writes.set(nameOf(key), { key }),
  }
  const actions = (): Action[] =>
    [...new Map([...found, ...writes])].map(([name, { key }]) => ({
      key,
      expected: found.get(name)?.item?.revision,
      put: writes.get(name)?.item,
      isDelete: writes.has(name) && !writes.get(name)?.item,
    }))
  return { open, actions }
}

const nameOf = ({ table, value }: Key): string => `${table} ${value}`

/** DynamoDB, with the time budget of `options`. */
const databaseWith = (options: Options): Database => {
  const pauseAfter = (attempts: number) =>
    pause(Math.random() * Math.min(10 * 2 ** attempts, 200), undefined, { signal: options.abortSignal })
  return {
    read: async (keys) => {
      const gets = keys.map((key) => ({ TableName: tableName(key.table), Key: partitionKeyOf(key) }))
      const [get] = gets
      if (get && gets.length === 1)
        return [checked((await dynamodb.send(new GetCommand({ ...get, ConsistentRead: true }), options)).Item)]
      const command = new TransactGetCommand({ TransactItems: gets.map((Get) => ({ Get })) })
      for (let attempts = 1; ; attempts++) {
        try {
          const { Responses = [] } = await dynamodb.send(command, options)
          return Responses.map(({ Item }) => checked(Item))
        } catch (error) {
          if (outcomeOf(error) !== 'busy') throw error
          await pauseAfter(attempts)
        }
      }
    },
    write: (ClientRequestToken, actions) => {
      const command = new TransactWriteCommand({ ClientRequestToken, TransactItems: actions.map(transactItem) })
      return dynamodb.send(command, options).then(() => 'written', outcomeOf)
    },
    pause: pauseAfter,
  }
}

const partitionKeyOf = ({ table, value }: Key) => ({ [tables[table].partitionKey.name]: value })

const checked = (item: Record<string, unknown> | undefined): Item | undefined => {
  // Without a revision, changes of the item could not be noticed.
  if (item && typeof item.revision !== 'string') throw new Error('An item has no revision.')
  return item as Item | undefined
}

const transactItem = ({ key, expected, put: Item, isDelete }: Action) => {
  const TableName = tableName(key.table)
  const Key = partitionKeyOf(key)
  const condition = {
    ConditionExpression: expected === undefined ? 'attribute_not_exists(#name)' : '#name = :revision',
    ExpressionAttributeNames: { '#name': expected === undefined ? tables[key.table].partitionKey.name : 'revision' },
    ...(expected !== undefined && { ExpressionAttributeValues: { ':revision': expected } }),
  }
  if (Item) return { Put: { TableName, Item, ...condition } }
  return isDelete ? { Delete: { TableName, Key, ...condition } } : { ConditionCheck: { TableName, Key, ...condition } }
}

/** What an error says of a transaction. Throws any other error. */
const outcomeOf = (error: unknown): 'refused' | 'busy' => {
  if (error instanceof Error && error.name === 'TransactionInProgressException') return 'busy'
  if (!(error instanceof TransactionCanceledException)) throw error
  const codes = (error.CancellationReasons ?? []).map(({ Code = 'None' }) => Code)
  if (codes.includes('ConditionalCheckFailed')) return 'refused'
  const causes = codes.filter((code) => code !== 'None')
  if (causes.length > 0 && causes.every((code) => code === 'TransactionConflict' || isThrottling(code))) return 'busy'
  throw error
}
