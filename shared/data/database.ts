import { setTimeout as sleep } from 'node:timers/promises'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { GetCommand, TransactGetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import type { Int64 } from '../model/int64.ts'
import { dynamodb, isThrottling, type Options } from './dynamodb.ts'
import { type TableId, tableName, tables } from './tables.ts'

/** Names an item: its table, and the value of its partition key. */
export type Key = { table: TableId; value: Int64 | string }

/** An item that transactions write. Its `revision` is the token of the transaction that wrote it last. */
export type Item = Record<string, unknown> & { revision: string }

/**
 * What a transaction does with an item if it has the revision `expected`; without one, if there is no item. It writes the
 * `item`, deletes it if that is `undefined`, and only checks it without a `write`.
 */
export type TransactAction = { key: Key; expected: string | undefined; write?: { item: Item | undefined } | undefined }

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
  write: (token: string, actions: TransactAction[]) => Promise<'written' | 'refused' | 'busy'>
  /** Pauses after so many attempts. */
  pause: (attempts: number) => Promise<void>
}

/** DynamoDB, within a time budget. */
export const databaseWith = (options: Options): Database => ({
  read: async (keys) => {
    const [key, ...others] = keys
    const items = key && others.length === 0 ? await getOne(key, options) : await getTogether(keys, options)
    return keys.map((key, i) => checked(key, items[i]))
  },
  write: (ClientRequestToken, actions) => {
    const command = new TransactWriteCommand({ ClientRequestToken, TransactItems: actions.map(transactItem) })
    return dynamodb.send(command, options).then(
      () => 'written',
      (error) =>
        outcomeOf(
          error,
          actions.map(({ key }) => key),
          options,
        ),
    )
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
    const { Responses } = await sent.catch((error) => ({ Responses: outcomeOf(error, keys, options) }))
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

const transactItem = ({ key, expected, write }: TransactAction) => {
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

/** What an error says of a transaction of the items with these keys. Throws any other error. */
const outcomeOf = (error: unknown, keys: Key[], { delays }: Options): 'refused' | 'busy' => {
  if (error instanceof Error && error.name === 'TransactionInProgressException') {
    delays.push(error.name)
    return 'busy'
  }
  if (!(error instanceof TransactionCanceledException)) throw error
  const codes = (error.CancellationReasons ?? []).map(({ Code = 'None' }) => Code)
  if (codes.includes('ConditionalCheckFailed')) return 'refused'
  const cause = codes.findIndex((code) => code !== 'None')
  const isBusy = (code: string) => code === 'None' || code === 'TransactionConflict' || isThrottling(code)
  if (cause < 0 || !codes.every(isBusy)) throw error
  delays.push(`${codes[cause]} on ${keys[cause]?.table}`)
  return 'busy'
}
