import { setTimeout as sleep } from 'node:timers/promises'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { GetCommand, TransactGetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { serviceUnavailable } from '../model/api-error.ts'
import { deepFreeze } from '../model/deep-freeze.ts'
import type { Int64 } from '../model/int64.ts'
import { type Deadline, dynamodb } from './dynamodb.ts'
import { failureKind, mapToUnavailable } from './failures.ts'
import type { Attributes } from './indexes.ts'
import { type Page, type PageQuery, readPage } from './list.ts'
import { type TableId, tableName, tables } from './tables.ts'

/** Names an item: its table, and the value of its partition key. */
export type Key = { table: TableId; value: Int64 | string }

/** An item that transactions write. Its `revision` names the last one that put it. */
export type Item = Record<string, unknown> & { revision: string }

/** An item that must have the revision `expected`; `undefined`: there must be none. */
export type ExpectedItem = { key: Key; expected: string | undefined }

/** What to do with an item if it is as expected. */
export type TransactAction = ExpectedItem &
  ({ kind: 'put'; item: Item } | { kind: 'delete' } | { kind: 'check' })

/** What transactions need of a database. */
export interface TransactionStore {
  /** Reads an item (strongly consistent). */
  read(key: Key): Promise<Item | undefined>

  /** Reads a page of a list (eventually consistent). */
  list(query: PageQuery): Promise<Page<Attributes>>

  /** Whether all of these items are as expected, at one moment. */
  check(items: ExpectedItem[]): Promise<boolean>

  /**
   * Carries out all actions, and returns true. It returns false if none took effect, and none ever
   * will: an item is not as expected, or another transaction held one. A resend with the same
   * `revision` takes effect only once, for ten minutes.
   */
  write(revision: string, actions: TransactAction[]): Promise<boolean>

  /** Pauses before the next run. */
  pause(runs: number): Promise<void>
}

/** DynamoDB until a deadline. Throws an ApiError 503 if it is slow, throttled or unavailable. */
export class DynamoDBStore implements TransactionStore {
  readonly #deadline: Deadline

  constructor(deadline: Deadline) {
    this.#deadline = deadline
  }

  async read(key: Key): Promise<Item | undefined> {
    const get = new GetCommand({ ...placeOf(key), ConsistentRead: true })
    const { Item } = await mapToUnavailable(dynamodb.send(get, this.#deadline))
    // A function that changed it would see that in its next run.
    return deepFreeze(Item) as Item | undefined
  }

  list(query: PageQuery): Promise<Page<Attributes>> {
    return mapToUnavailable(readPage(query, this.#deadline))
  }

  async check(items: ExpectedItem[]): Promise<boolean> {
    const command = new TransactGetCommand({
      TransactItems: items.map(({ key }) => ({ Get: placeOf(key) })),
    })
    const read = dynamodb.send(command, this.#deadline).catch((error) => {
      if (failureKind(error) !== 'busy') throw error
    })
    const response = await mapToUnavailable(read)
    if (!response) return false
    return items.every(({ expected }, i) => response.Responses?.[i]?.Item?.revision === expected)
  }

  async write(revision: string, actions: TransactAction[]): Promise<boolean> {
    const command = new TransactWriteCommand({
      // The same for all resends: if a response is lost, its request may take effect, too.
      ClientRequestToken: revision,
      TransactItems: actions.map(transactItem),
    })
    for (let resends = 0; ; resends++) {
      if (resends > 0) await this.pause(resends)
      try {
        await dynamodb.send(command, this.#deadline)
        return true
      } catch (error) {
        const kind = failureKind(error)
        if (kind === 'stale') return false
        // It may have taken effect, or may do so later.
        const wasSentBefore = resends > 0 || attemptsOf(error) > 1
        if (kind === 'bug' && !wasSentBefore) throw error
        if (kind !== 'busy') throw serviceUnavailable(`${error}`)
        if (error instanceof TransactionCanceledException && !wasSentBefore) return false
      }
    }
  }

  async pause(runs: number): Promise<void> {
    const { abortSignal: signal } = this.#deadline
    const milliseconds = Math.random() * Math.min(20 * 2 ** runs, 500)
    await sleep(milliseconds, undefined, { signal }).catch(() => {
      throw serviceUnavailable(
        'Each attempt met another transaction or throttling, or put what exists and was not read.',
      )
    })
  }
}

/** The primary key of an item, as its attribute. */
export const keyAttribute = ({ table, value }: Key) => ({
  [tables[table].partitionKey.name]: value,
})

/** Where an item is, in the words of DynamoDB's commands. */
const placeOf = (key: Key) => ({ TableName: tableName(key.table), Key: keyAttribute(key) })

const transactItem = (action: TransactAction) => {
  const { key, expected } = action
  const condition = expected === undefined ? isMissing(key) : hasRevision(expected)
  switch (action.kind) {
    case 'put':
      return { Put: { TableName: tableName(key.table), Item: action.item, ...condition } }
    case 'delete':
      return { Delete: { ...placeOf(key), ...condition } }
    case 'check':
      return { ConditionCheck: { ...placeOf(key), ...condition } }
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

/** How often the client has sent a request, its own resends included. */
const attemptsOf = (error: unknown): number => Object(error).$metadata?.attempts ?? 0
