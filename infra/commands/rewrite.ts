import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { Option } from '@commander-js/extra-typings'
import { collections } from '../../shared/collections.ts'
import type { AnyCollection } from '../../shared/data/collection.ts'
import type { Attributes } from '../../shared/data/indexes.ts'
import { exactNumber } from '../../shared/model/json.ts'
import { propertyNames } from '../../shared/model/names.ts'
import { CommandError, run, stopSignal, timeouts, wholeNumber } from '../command-line.ts'
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
    await rewrite({ table, itemOf, perSecond, isCheck, signal })
  })

/** What to rewrite, and how fast. A check writes nothing. */
type Plan = Pick<AnyCollection, 'itemOf'> & {
  table: string
  perSecond: number
  isCheck: boolean
  signal: AbortSignal
}

/**
 * What became of an item: it needs no change; it was rewritten, or must be; somebody else has
 * changed it meanwhile; or it cannot be read, for the reason in the error.
 */
type RewriteOutcome = 'same' | 'different' | 'overtaken' | Error

/**
 * Stores each item that differs from what `itemOf` returns, on condition that it has the revision
 * that was read, which it keeps. So a resend does no harm, and a later change or delete wins.
 * Prints and passes items that cannot be read. Throws a CommandError at the end if there
 * were any, or if a check has found a difference; and the reason of the signal.
 */
export const rewrite = async (plan: Plan): Promise<void> => {
  const { table: TableName, isCheck, signal } = plan
  const client = newClient()
  const write = writer(client, plan)
  const counts = { read: 0, different: 0, failed: 0 }
  const visit = async (item: Attributes): Promise<void> => {
    signal.throwIfAborted()
    const outcome = await rewriteItem(item, plan, write)
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

const newClient = (): DynamoDBDocumentClient => {
  // The SDK sends less while DynamoDB throttles, and tries for about a minute.
  const dynamodb = new DynamoDBClient({ ...timeouts, retryMode: 'adaptive', maxAttempts: 10 })
  const unmarshallOptions = { wrapNumbers: exactNumber }
  return DynamoDBDocumentClient.from(dynamodb, { unmarshallOptions })
}

type WriteItem = (item: Attributes) => Promise<RewriteOutcome>

const rewriteItem = async (
  item: Attributes,
  { itemOf, isCheck }: Plan,
  write: WriteItem,
): Promise<RewriteOutcome> => {
  if (typeof item.revision !== 'string') return new Error('It has no revision.')
  let wanted: Attributes
  try {
    wanted = itemOf(item)
  } catch (error) {
    return error as Error // `itemOf` throws nothing else.
  }
  if (isDeepStrictEqual(item, wanted)) return 'same'
  return isCheck ? 'different' : write(wanted)
}

/** Returns a function that writes as often in a second as the plan allows. */
const writer = (
  client: DynamoDBDocumentClient,
  { table: TableName, perSecond, signal }: Plan,
): WriteItem => {
  let nextTurn = 0
  const takeTurn = async (): Promise<void> => {
    const now = performance.now()
    nextTurn = Math.max(nextTurn + 1000 / perSecond, now)
    await pause(nextTurn - now)
    signal.throwIfAborted()
  }
  return async (Item) => {
    const put = new PutCommand({
      TableName,
      Item,
      ConditionExpression: 'revision = :revision',
      ExpressionAttributeValues: { ':revision': Item.revision },
    })
    for (;;) {
      await takeTurn()
      try {
        await client.send(put)
        return 'different'
      } catch (error) {
        const { name } = error as Error // The SDK throws nothing else.
        if (name === 'ConditionalCheckFailedException') return 'overtaken'
        // A transaction holds the item. It may be one that only checks it.
        if (name !== 'TransactionConflictException') throw error
      }
    }
  }
}

if (import.meta.main) await run(command)
