import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { Option } from '@commander-js/extra-typings'
import { collections } from '../../shared/collections.ts'
import type { AnyCollection } from '../../shared/data/collection.ts'
import { itemFormat } from '../../shared/data/dynamodb.ts'
import type { Attributes } from '../../shared/data/indexes.ts'
import { propertyNames } from '../../shared/model/names.ts'
import { CommandError, run, stopSignal, wholeNumber } from '../command-line.ts'
import { awsConnection } from './connection.ts'
import { deploymentCommand, findTable } from './deployment.ts'

const DESCRIPTION = `\
Stores the items of a collection as this version does, after a new filter or field. Requests go on
meanwhile: what they change stays, and no ETag becomes stale. Stop it and run it again at any time.`

const command = deploymentCommand('npm run rewrite --', DESCRIPTION)
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
  .option('--check', 'write nothing, and fail if an item is not as this version stores it')
  .action(async ({ collection, perSecond, check: isCheck = false, ...target }) => {
    const signal = stopSignal()
    const table = await findTable(target, collection)
    const { itemOf } = collections[collection]
    // The SDK pauses longer after each attempt: after ten, it has tried for about a minute. A local
    // database is never throttled.
    const attempts = target.stage === 'local' ? 2 : 10
    await rewrite({ table, itemOf, perSecond, attempts, isCheck, signal })
  })

/** What to rewrite, how fast, and how often to try each request. A check writes nothing. */
type Plan = Pick<AnyCollection, 'itemOf'> & {
  table: string
  perSecond: number
  attempts: number
  isCheck: boolean
  signal: AbortSignal
}

/**
 * Stores each item that differs from what `itemOf` returns, on condition that it has the revision
 * that was read, which it keeps. So a resend does no harm, and a later change or delete wins.
 * Prints and passes items that cannot be read. Throws a CommandError at the end if there
 * were any, or if a check has found a difference; and the reason of the signal.
 */
export const rewrite = async (plan: Plan): Promise<void> => {
  const { table: TableName, isCheck, signal } = plan
  const client = newClient(plan)
  const writer = new Writer(client, plan)
  const counts = { read: 0, different: 0, failed: 0 }
  const visit = async (item: Attributes): Promise<void> => {
    signal.throwIfAborted()
    const outcome = await rewriteItem(item, plan, writer)
    counts.read++
    if (outcome === 'different') counts.different++
    if (!(outcome instanceof Error)) return
    counts.failed++
    console.info(`The item ${item.id} stays as it is. ${outcome.message}`)
  }
  const print = () =>
    console.info(`${counts.read} read, ${counts.different} ${isCheck ? 'different' : 'rewritten'}.`)
  for await (const { Items = [] } of paginateScan({ client, pageSize: 1000 }, { TableName }))
    await Readable.from(Items).forEach(visit, { concurrency: 8 }).finally(print)
  const { different, failed } = counts
  if (failed > 0) throw new CommandError(`${failed} items cannot be read. Mend them by hand.`)
  if (isCheck && different > 0)
    throw new CommandError(
      `${different} items are not as this version stores them. Run this without --check.`,
    )
}

const newClient = ({ attempts: maxAttempts }: Plan): DynamoDBDocumentClient => {
  // An adaptive client sends less while DynamoDB throttles.
  const options = { ...awsConnection(), retryMode: 'adaptive', maxAttempts }
  return DynamoDBDocumentClient.from(new DynamoDBClient(options), itemFormat)
}

/**
 * What became of an item: it needs no change; it was rewritten, or must be; somebody else has
 * changed it meanwhile; or it cannot be read, for the reason in the error.
 */
type RewriteOutcome = 'same' | 'different' | 'overtaken' | Error

const rewriteItem = async (
  item: Attributes,
  { itemOf, isCheck }: Plan,
  writer: Writer,
): Promise<RewriteOutcome> => {
  if (typeof item.revision !== 'string') return new Error('It has no revision.')
  let wanted: Attributes
  try {
    wanted = itemOf(item)
  } catch (error) {
    return error as Error // `itemOf` throws nothing else.
  }
  if (isDeepStrictEqual(item, wanted)) return 'same'
  if (isCheck) return 'different'
  return (await writer.replace(wanted)) ? 'different' : 'overtaken'
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
    await pause(this.#nextTurn - now)
    this.#plan.signal.throwIfAborted()
  }
}

if (import.meta.main) await run(command)
