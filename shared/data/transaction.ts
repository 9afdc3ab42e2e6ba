import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
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
  /** Reads an item (strongly consistent). One that was read, put or deleted before is as it was left. */
  read: (key: Key) => Promise<Item | undefined>
  /**
   * Reads items at the same moment, so that `read` returns them. What `work` throws, or returns without a write, must
   * follow from one item, or from items that were read together.
   */
  readTogether: (...keys: Key[]) => Promise<void>
  /** Puts an item in place of the one that was read. If it was not read, no item may have the key. */
  put: (key: Key, attributes: object) => void
  /** Deletes an item that was read from the table. Throws an Error for any other. */
  remove: (key: Key) => void
}

/**
 * Runs `work`, which reads what it needs, decides, and says what to write. All of it is written at once, on condition that
 * nothing that was read has changed since. Otherwise `work` runs again, so it must have no other effects. Throws an
 * ApiError 503 if DynamoDB is slow, throttled or unavailable, or if other transactions are faster each time.
 */
export const transaction = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
  withinBudget((options) => runOn(databaseWith(options), work))

/** Runs `work` in the transaction `tx`, or in one of its own. */
export const inside = <T>(tx: Transaction | undefined, work: (tx: Transaction) => Promise<T>): Promise<T> =>
  tx ? work(tx) : transaction(work)

/**
 * What a transaction does with an item if it has the revision `expected`; without one, if there is no item. It writes the
 * `item`, deletes it if that is `undefined`, and only checks it without a `write`.
 */
export type Action = { key: Key; expected: string | undefined; write?: { item: Item | undefined } | undefined }

/** What transactions need of a database. */
export type Database = {
  /** Reads items at the same moment. */
  read: (keys: Key[]) => Promise<(Item | undefined)[]>
  /**
   * Carries out all actions, or none: `refused` if an item has another revision, `busy` if another transaction holds one.
   * All calls with one token take effect at most once. After `busy`, an earlier call with the token still may. DynamoDB
   * remembers a token for ten minutes, and nothing is sent after the time budget. What remains is a process that is frozen for
   * ten minutes between that check and the sending, which Lambda does not do.
   */
  write: (token: string, actions: Action[]) => Promise<'written' | 'refused' | 'busy'>
  /** Pauses after so many attempts. */
  pause: (attempts: number) => Promise<void>
}

/** Runs a transaction on a database. */
export const runOn = async <T>(
  database: Database,
  work: (tx: Transaction) => Promise<T>,
  newToken: () => string = randomUUID,
): Promise<T> => {
  for (let runs = 1; ; runs++) {
    const token = newToken() // Random, because a revision must never recur.
    const { tx, actions } = begin(token, database.read)
    try {
      const result = await work(tx)
      if (!actions().some((action) => action.write)) return result
      if ((await writeWhenFree(database, token, actions())) === 'written') return result
    } catch (error) {
      if (!(error instanceof ItemHasChanged)) throw error
    }
    await database.pause(runs)
  }
}

/** Writes as soon as no other transaction holds an item. */
const writeWhenFree = async ({ write, pause }: Database, token: string, actions: Action[]) => {
  for (let attempts = 1; ; attempts++) {
    // The same token: with a new one, an earlier call whose response was lost could take effect, too.
    const outcome = await write(token, actions)
    if (outcome !== 'busy') return outcome
    await pause(attempts)
  }
}

/** Ends a run that has read an item twice, and found another revision. */
class ItemHasChanged extends Error {}

/** An item of a run: what was read, and what is to be written. */
type Touched = { key: Key; found?: { item: Item | undefined }; write?: { item: Item | undefined } }

const begin = (revision: string, readItems: Database['read']) => {
  const touched = new Map<string, Touched>()
  const touch = (key: Key): Touched => {
    const name = `${key.table} ${key.value}`
    const item = touched.get(name) ?? { key }
    touched.set(name, item)
    return item
  }
  const tx: Transaction = {
    revision,
    read: async (key) => {
      await tx.readTogether(key)
      const { found, write } = touch(key)
      return (write ?? found)?.item
    },
    readTogether: async (...keys) => {
      const all = [...new Set(keys.map(touch))]
      if (all.every(({ found, write }) => found ?? write)) return
      const items = await readItems(all.map(({ key }) => key))
      for (const [i, each] of all.entries()) {
        const item = items[i]
        if (each.found && each.found.item?.revision !== item?.revision) throw new ItemHasChanged()
        each.found = { item }
      }
    },
    put: (key, attributes) => {
      touch(key).write = { item: { ...attributes, revision } }
    },
    remove: (key) => {
      const item = touch(key)
      if (!item.found) throw new Error(`${key.table} ${key.value} must be read from the table before it is deleted.`)
      item.write = { item: undefined }
    },
  }
  const actions = () =>
    [...touched.values()].map(({ key, found, write }): Action => ({ key, expected: found?.item?.revision, write }))
  return { tx, actions }
}

/** DynamoDB, within a time budget. */
const databaseWith = (options: Options): Database => ({
  read: async (keys) => {
    const [key, ...others] = keys
    const items = key && others.length === 0 ? await getOne(key, options) : await getTogether(keys, options)
    return keys.map((key, i) => checked(key, items[i]))
  },
  write: (ClientRequestToken, actions) => {
    const command = new TransactWriteCommand({ ClientRequestToken, TransactItems: actions.map(transactItem) })
    return dynamodb.send(command, options).then(() => 'written', outcomeOf)
  },
  pause: (attempts) => pauseAfter(attempts, options),
})

const pauseAfter = (attempts: number, { abortSignal: signal }: Options): Promise<void> =>
  sleep(Math.random() * Math.min(20 * 2 ** attempts, 500), undefined, { signal })

const getOne = async (key: Key, options: Options) => {
  const command = new GetCommand({ TableName: tableName(key.table), Key: partitionKeyOf(key), ConsistentRead: true })
  return [(await dynamodb.send(command, options)).Item]
}

/** Reads items at one moment. Until no other transaction holds them, it tries again. */
const getTogether = async (keys: Key[], options: Options) => {
  const gets = keys.map((key) => ({ Get: { TableName: tableName(key.table), Key: partitionKeyOf(key) } }))
  for (let attempts = 1; ; attempts++) {
    const sent = dynamodb.send(new TransactGetCommand({ TransactItems: gets }), options)
    const { Responses } = await sent.catch((error) => ({ Responses: outcomeOf(error) }))
    if (typeof Responses === 'object') return Responses.map(({ Item }) => Item)
    await pauseAfter(attempts, options)
  }
}

const partitionKeyOf = ({ table, value }: Key) => ({ [tables[table].partitionKey.name]: value })

/** An item that was read. Throws an Error if it has no revision, because its changes could not be noticed. */
const checked = ({ table, value }: Key, item: Record<string, unknown> | undefined): Item | undefined => {
  if (item && typeof item.revision !== 'string') throw new Error(`The item ${value} of ${table} has no revision.`)
  return item as Item | undefined
}

const transactItem = ({ key, expected, write }: Action) => {
  const TableName = tableName(key.table)
  const Key = partitionKeyOf(key)
  const condition = {
    ConditionExpression: expected === undefined ? 'attribute_not_exists(#name)' : '#name = :revision',
    ExpressionAttributeNames: { '#name': expected === undefined ? tables[key.table].partitionKey.name : 'revision' },
    ...(expected !== undefined && { ExpressionAttributeValues: { ':revision': expected } }),
  }
  if (!write) return { ConditionCheck: { TableName, Key, ...condition } }
  return write.item
    ? { Put: { TableName, Item: write.item, ...condition } }
    : { Delete: { TableName, Key, ...condition } }
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
