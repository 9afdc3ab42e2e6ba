import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { Option } from '@commander-js/extra-typings'
import { collections } from '../../shared/collections.ts'
import type { AnyCollection } from '../../shared/data/collection.ts'
import { itemFormat } from '../../shared/data/dynamodb.ts'
import type { Attributes } from '../../shared/data/indexes.ts'
import type { CollectionId } from '../../shared/data/tables.ts'
import { propertyNames } from '../../shared/model/names.ts'
import { CommandError, run, stopSignal, wholeNumber } from '../command-line.ts'
import { awsConnection } from './connection.ts'
import { deploymentCommand, findTable } from './deployment.ts'
import { asStored, itemProblem, roundedProblem } from './item-problem.ts'
import { Progress } from './progress.ts'

const DESCRIPTION = `\
Stores the items of a collection as this version does, after a new filter or field. Requests go on
meanwhile: what they change stays, and no ETag becomes stale. Stop it and run it again at any time.`

const rewriteCommand = deploymentCommand('npm run rewrite --', DESCRIPTION)
  .addOption(
    new Option('--collection <name>', 'required: the collection to rewrite')
      .choices(propertyNames(collections))
      .makeOptionMandatory(),
  )
  .option(
    '--per-second <number>',
    'how many items to write in a second at most',
    wholeNumber(1, 1000),
    200,
  )
  .option(
    '--check',
    'write nothing, and fail if an item is not as this version stores it, breaks a rule or is damaged',
  )
  .action(async ({ collection, perSecond, check: isCheck = false, ...target }) => {
    const signal = stopSignal()
    const table = await findTable(target, collection)
    // The SDK pauses longer after each attempt: after ten, it has tried for about a minute. A local
    // database is never throttled.
    const attempts = target.stage === 'local' ? 2 : 10
    const work = { table, id: collection, collection: collections[collection] }
    await rewrite({ ...work, perSecond, pause, attempts, isCheck, signal })
  })

/**
 * What to rewrite, how many items in a second, how to wait for so many milliseconds, and how often
 * to try each request. A check writes nothing.
 */
type Plan = {
  table: string
  id: CollectionId
  collection: AnyCollection
  perSecond: number
  pause: (milliseconds: number) => Promise<unknown>
  attempts: number
  isCheck: boolean
  signal: AbortSignal
}

/**
 * Stores each item that differs from what `itemOf` returns, on condition that it has the revision
 * that was read, which it keeps. So a resend does no harm, and a later change or delete wins.
 * Prints and passes items that cannot be read or written; a check also prints those that break a
 * rule. Throws a CommandError at the end if there were any, or if a check has found a difference;
 * and the reason of the signal.
 */
export const rewrite = async (plan: Plan): Promise<void> => {
  const { table: TableName, isCheck, signal } = plan
  const client = newClient(plan)
  const writer = new Writer(client, plan)
  const progress = new Progress('items', await itemCount(client, TableName))
  const counts = { read: 0, different: 0, named: 0 }
  const visit = async (item: Attributes): Promise<void> => {
    signal.throwIfAborted()
    const outcome = isCheck ? checkItem(item, plan) : await rewriteItem(item, plan, writer)
    counts.read++
    progress.add()
    if (outcome.isDifferent) counts.different++
    if (outcome.problem === undefined) return
    counts.named++
    progress.clear()
    console.info(`${outcome.problem}${isCheck ? '' : ' It stays as it is.'}`)
  }
  try {
    for await (const { Items = [] } of paginateScan({ client, pageSize: 1000 }, { TableName }))
      await Readable.from(Items).forEach(visit, { concurrency: 8 })
  } finally {
    progress.stop()
    const word = isCheck ? 'different' : 'rewritten'
    console.info(`${counts.read} read, ${counts.different} ${word}.`)
  }
  const failures = failuresOf(counts, isCheck)
  if (failures.length > 0) throw new CommandError(failures.join(' '))
}

type Counts = { different: number; named: number }

const failuresOf = ({ different, named }: Counts, isCheck: boolean): string[] => [
  ...(named > 0 ? [`${named} items are named above. Correct them by hand.`] : []),
  ...(isCheck && different > 0
    ? [`${different} items are not as this version stores them. Run this without --check.`]
    : []),
]

/** How many items a table had within the last six hours; `undefined` if AWS does not say. */
const itemCount = async (client: DynamoDBDocumentClient, TableName: string) => {
  const described = await client
    .send(new DescribeTableCommand({ TableName }))
    .catch(() => undefined)
  return described?.Table?.ItemCount
}

const newClient = ({ attempts: maxAttempts }: Plan): DynamoDBDocumentClient => {
  // An adaptive client sends less while DynamoDB throttles.
  const options = { ...awsConnection(), retryMode: 'adaptive', maxAttempts }
  return DynamoDBDocumentClient.from(new DynamoDBClient(options), itemFormat)
}

/**
 * Whether an item was or must be rewritten, and what is wrong with it. Neither if it is as it
 * should be, or if somebody else has changed it meanwhile.
 */
type Outcome = { isDifferent: boolean; problem?: string | undefined }

const checkItem = (item: Attributes, { id, collection }: Plan): Outcome => {
  const wanted = asStored(item, id, collection)
  if (wanted instanceof Error) return { isDifferent: false, problem: wanted.message }
  const isDifferent = !isDeepStrictEqual(item, wanted)
  return { isDifferent, problem: itemProblem(wanted, id, collection) }
}

const rewriteItem = async (
  item: Attributes,
  { id, collection }: Plan,
  writer: Writer,
): Promise<Outcome> => {
  const wanted = asStored(item, id, collection)
  if (wanted instanceof Error) return { isDifferent: false, problem: wanted.message }
  if (isDeepStrictEqual(item, wanted)) return { isDifferent: false }
  const problem = roundedProblem(wanted, id)
  if (problem) return { isDifferent: false, problem }
  try {
    return { isDifferent: await writer.replace(wanted) }
  } catch (error) {
    const { name, message } = error as Error // The SDK throws nothing else.
    if (name !== 'ValidationException') throw error
    const reason = message.replace(/\.?$/, '.')
    return {
      isDifferent: false,
      problem: `The item ${item.id} of ${id} cannot be written: ${reason}`,
    }
  }
}

/** Writes items, as often in a second as the plan allows. */
class Writer {
  readonly #client: DynamoDBDocumentClient
  readonly #plan: Plan
  /** When the next write may begin. */
  #nextTurn = 0

  constructor(client: DynamoDBDocumentClient, plan: Plan) {
    this.#client = client
    this.#plan = plan
  }

  /** Replaces the item of the same revision. Returns false if it has another one by now. */
  async replace(item: Attributes): Promise<boolean> {
    const put = new PutCommand({
      TableName: this.#plan.table,
      Item: item,
      ConditionExpression: 'revision = :revision',
      ExpressionAttributeValues: { ':revision': item.revision },
    })
    for (;;) {
      await this.#takeTurn()
      try {
        await this.#client.send(put)
        return true
      } catch (error) {
        const { name } = error as Error // The SDK throws nothing else.
        if (name === 'ConditionalCheckFailedException') return false
        // A transaction holds the item. It may be one that only checks it.
        if (name !== 'TransactionConflictException') throw error
      }
    }
  }

  async #takeTurn(): Promise<void> {
    const now = performance.now()
    this.#nextTurn = Math.max(this.#nextTurn + 1000 / this.#plan.perSecond, now)
    await this.#plan.pause(this.#nextTurn - now)
    this.#plan.signal.throwIfAborted()
  }
}

if (import.meta.main) await run(rewriteCommand)
