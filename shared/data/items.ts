import { setTimeout as sleep } from 'node:timers/promises'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { GetCommand, TransactGetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { deepFreeze } from '../model/deep-freeze.ts'
import type { Int64 } from '../model/int64.ts'
import { DamagedItem, reportDamage } from './damaged-item.ts'
import { type Deadline, dynamodb } from './dynamodb.ts'
import {
  cancellationCodes,
  type Failure,
  mapToUnavailable,
  meaningOf,
  unavailable,
} from './failures.ts'
import type { Attributes } from './indexes.ts'
import { type Page, type PageQuery, readPage } from './list.ts'
import { type TableId, tableName, tables } from './tables.ts'

/** Names an item: its table, and the value of its partition key. */
export type Key = { table: TableId; value: Int64 | string }

/** An item that transactions write. Its `revision` names the last one that put it. */
export type Item = Record<string, unknown> & { revision: string }

/** What to do with an item if it has the revision `expected`; `undefined`: if there is none. */
export type TransactAction = { key: Key; expected: string | undefined } & (
  | { kind: 'put'; item: Item }
  | { kind: 'delete' }
  | { kind: 'check' }
)

/**
 * What became of a write:
 * - `written`: it took effect.
 * - `stale`: an item does not have the expected revision; `keys` are those that DynamoDB named.
 * - `canceled`: other transactions held its items.
 * If it is stale or canceled, it took no effect, and never will.
 */
export type Written =
  | { kind: 'written' }
  | { kind: 'stale'; keys: Key[] }
  | { kind: 'canceled'; reason: string }

/** What transactions need of a database. */
export type Database = {
  /** Reads items, all of them at one moment. */
  read: (keys: Key[]) => Promise<(Item | undefined)[]>
  /** Reads a page of a list. */
  list: (query: PageQuery) => Promise<Page<Attributes>>
  /**
   * Carries out all actions, or none if items have another revision than expected. A resend with
   * the same `revision` takes effect only once, for ten minutes.
   */
  write: (revision: string, actions: TransactAction[]) => Promise<Written>
  /** Pauses before the next run. The log of a 503 has the reason for it. */
  pause: (runs: number, reason?: string) => Promise<void>
}

/** DynamoDB until a deadline. Throws an ApiError 503 if it is slow or unavailable. */
export const databaseUntil = (deadline: Deadline): Database => ({
  read: (keys) => readItems(keys, deadline),
  list: (query) => mapToUnavailable(readPage(query, deadline)),
  write: (revision, actions) => writeItems(revision, actions, deadline),
  pause: (runs, reason) => mapToUnavailable(pauseAfter(runs, deadline), reason),
})

/** The primary key of an item, as its attribute. */
export const keyAttribute = ({ table, value }: Key) => ({
  [tables[table].partitionKey.name]: value,
})

/** Where an item is, in the words of DynamoDB's commands. */
const itemPlace = (key: Key) => ({ TableName: tableName(key.table), Key: keyAttribute(key) })

const readItems = async (keys: Key[], deadline: Deadline): Promise<(Item | undefined)[]> => {
  const [key, ...others] = keys
  const isOne = key && others.length === 0
  const items = isOne ? [await readOne(key, deadline)] : await readTogether(keys, deadline)
  return keys.map((key, i) => withRevision(key, items[i]))
}

const readOne = async (key: Key, deadline: Deadline) => {
  const get = new GetCommand({ ...itemPlace(key), ConsistentRead: true })
  const { Item } = await mapToUnavailable(dynamodb.send(get, deadline))
  return Item
}

const readTogether = async (keys: Key[], deadline: Deadline) => {
  const command = new TransactGetCommand({
    TransactItems: keys.map((key) => ({ Get: itemPlace(key) })),
  })
  const sent = await sendUntilFree(() => dynamodb.send(command, deadline), keys, deadline)
  if (sent.kind !== 'done') throw meaningOf(sent.error) === 'bug' ? sent.error : unavailable(sent)
  const { Responses = [] } = sent.response
  return Responses.map(({ Item }) => Item)
}

const writeItems = async (
  revision: string,
  actions: TransactAction[],
  deadline: Deadline,
): Promise<Written> => {
  const keys = actions.map(({ key }) => key)
  const command = new TransactWriteCommand({
    // The same for all resends: if a response is lost, its request may take effect, too.
    ClientRequestToken: revision,
    TransactItems: actions.map(transactItem),
  })
  const send = () => dynamodb.send(command, deadline)
  const sent = await sendUntilFree(send, keys, deadline, wasCanceledAtFirstSend)
  if (sent.kind === 'done') return { kind: 'written' }
  if (sent.kind === 'canceled') return { kind: 'canceled', reason: sent.reason }
  const { error } = sent
  const meaning = meaningOf(error)
  // After several sends, an earlier one may have taken effect: a 503, so that the client retries.
  if (meaning === 'bug' && !mayHaveWritten(sent)) throw error
  if (meaning !== 'stale') throw unavailable(sent)
  const codes = cancellationCodes(error)
  return { kind: 'stale', keys: keys.filter((_, i) => codes[i] === 'ConditionalCheckFailed') }
}

/** An item that was read. Throws a DamagedItem without a revision, which tells when it changes. */
const withRevision = (
  { table, value }: Key,
  item: Record<string, unknown> | undefined,
): Item | undefined => {
  if (item && typeof item.revision !== 'string') {
    const damage = new DamagedItem(table, value, 'revision', item.revision)
    reportDamage(damage)
    throw damage
  }
  // A function that changed it would see that in its next run.
  return deepFreeze(item) as Item | undefined
}

const transactItem = (action: TransactAction) => {
  const { key, expected } = action
  const condition = expected === undefined ? isMissing(key) : hasRevision(expected)
  switch (action.kind) {
    case 'put':
      return { Put: { TableName: tableName(key.table), Item: action.item, ...condition } }
    case 'delete':
      return { Delete: { ...itemPlace(key), ...condition } }
    case 'check':
      return { ConditionCheck: { ...itemPlace(key), ...condition } }
  }
}

const isMissing = ({ table }: Key) => ({
  ConditionExpression: 'attribute_not_exists(#key)',
  ExpressionAttributeNames: { '#key': tables[table].partitionKey.name },
})

const hasRevision = (revision: string) => ({
  ConditionExpression: 'revision = :revision',
  ExpressionAttributeValues: { ':revision': revision },
})

type Sent<Output> =
  | { kind: 'done'; response: Output }
  | ({ kind: 'canceled'; reason: string } & Failure)
  | ({ kind: 'failed' } & Failure)

/**
 * Sends a transaction, and resends it unchanged while other transactions hold its items, unless
 * such a failure `isFinal`.
 */
const sendUntilFree = async <Output>(
  send: () => Promise<Output>,
  keys: Key[],
  deadline: Deadline,
  isFinal = (_failure: Failure) => false,
): Promise<Sent<Output>> => {
  let reason: string | undefined
  for (let resends = 0; ; resends++) {
    try {
      if (resends > 0) await pauseAfter(resends, deadline)
      return { kind: 'done', response: await send() }
    } catch (error) {
      if (meaningOf(error) !== 'busy') return { kind: 'failed', error, resends, reason }
      reason = busyReason(error, keys)
      if (isFinal({ error, resends })) return { kind: 'canceled', error, resends, reason }
    }
  }
}

/** Why a transaction was busy, such as `TransactionConflict on pets`. */
const busyReason = (error: unknown, keys: Key[]): string => {
  const codes = cancellationCodes(error)
  const first = codes.findIndex((code) => code !== 'None')
  return first < 0 ? `${error}` : `${codes[first]} on ${keys[first]?.table}`
}

/** Whether a write may have taken effect although it failed, because a response was lost. */
const mayHaveWritten = ({ error, resends }: Failure): boolean =>
  (attemptsOf(error) ?? 1) > 1 || resends > 0

/**
 * Whether DynamoDB canceled a write that was sent exactly once: no copy of it can arrive any more,
 * so the function may run again. After a resend, an earlier copy may still take effect.
 */
const wasCanceledAtFirstSend = ({ error, resends }: Failure): boolean =>
  error instanceof TransactionCanceledException && attemptsOf(error) === 1 && resends === 0

/** How often the client has sent a request, its own resends included. */
const attemptsOf = (error: unknown): number | undefined =>
  (error as { $metadata?: { attempts?: number } }).$metadata?.attempts

const pauseAfter = (failures: number, { abortSignal: signal }: Deadline): Promise<void> =>
  sleep(Math.random() * Math.min(20 * 2 ** failures, 500), undefined, { signal })
