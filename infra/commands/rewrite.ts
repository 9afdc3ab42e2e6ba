import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { Option } from '@commander-js/extra-typings'
import { collections } from '../../shared/collections.ts'
import type { AnyCollection } from '../../shared/data/collection.ts'
import { itemFormat } from '../../shared/data/dynamodb.ts'
import type { Attributes } from '../../shared/data/indexes.ts'
import { propertyNames } from '../../shared/model/names.ts'
import { CommandError, printable, runCommand, stopSignal } from '../command-line.ts'
import { awsOptions } from './aws.ts'
import { deploymentCommand, findTable } from './deployment.ts'
import { Pace } from './pace.ts'
import { Progress } from './progress.ts'

const DESCRIPTION = `\
Stores the items of a collection as this version does, after a new filter or field. Requests go on
meanwhile: what they change stays, and no ETag becomes stale. Stop it and run it again at any time:
it is complete when it rewrites none.`

const rewriteCommand = deploymentCommand('npm run rewrite --', DESCRIPTION)
  .addOption(
    new Option('--collection <name>', 'required: the collection to rewrite')
      .choices(propertyNames(collections))
      .makeOptionMandatory(),
  )
  .action(async ({ collection: id, ...target }) => {
    const signal = stopSignal()
    const table = await findTable(target, id)
    await rewrite({ table, collection: collections[id], signal })
  })

/** What to rewrite. */
type Plan = { table: string; collection: AnyCollection; signal: AbortSignal }

/** Items that are written in a second, and at once. */
const PER_SECOND = 200
const AT_ONCE = 8

/**
 * Stores each item that differs from what `upgradedItem` returns. Prints and passes items that
 * cannot be read or written. Throws a CommandError at the end if there were any, and the reason of
 * the signal.
 */
export const rewrite = async ({ table, collection, signal }: Plan): Promise<void> => {
  const client = patientClient()
  const pages = paginateScan({ client, pageSize: 1000 }, { TableName: table })
  const pace = new Pace(PER_SECOND, signal)
  const progress = new Progress('items')
  let rewritten = 0
  let failed = 0
  const visit = async (item: Attributes) => {
    signal.throwIfAborted()
    progress.count()
    try {
      const wanted = collection.upgradedItem(item)
      if (isDeepStrictEqual(item, wanted)) return
      if (await replace(client, table, wanted, pace)) rewritten++
    } catch (error) {
      const { name, message, $metadata } = Object(error)
      const isOfItem = !$metadata || name === 'ValidationException'
      if (signal.aborted || !isOfItem) throw error
      failed++
      console.info(printable(`The item ${item.id} stays as it is: ${message}`))
    }
  }
  try {
    for await (const { Items = [] } of pages)
      await Readable.from(Items).forEach(visit, { concurrency: AT_ONCE })
  } finally {
    console.info(`${progress.done} read, ${rewritten} rewritten.`)
  }
  if (failed > 0) throw new CommandError(`Correct the ${failed} items above by hand.`)
}

/** The SDK pauses longer after each attempt: after ten, it has tried for about a minute. */
const patientClient = (): DynamoDBDocumentClient => {
  const client = new DynamoDBClient({ ...awsOptions(), maxAttempts: 10 })
  return DynamoDBDocumentClient.from(client, itemFormat)
}

/**
 * Replaces an item on condition that it has the revision that was read, which it keeps: so a resend
 * does no harm, and a later change or delete wins. Returns whether it did.
 */
const replace = async (
  client: DynamoDBDocumentClient,
  table: string,
  item: Attributes,
  pace: Pace,
): Promise<boolean> => {
  const put = new PutCommand({
    TableName: table,
    Item: item,
    ConditionExpression: 'revision = :revision',
    ExpressionAttributeValues: { ':revision': item.revision },
  })
  for (;;) {
    await pace.turn()
    try {
      await client.send(put)
      return true
    } catch (error) {
      const { name } = error as Error // The SDK throws nothing else.
      if (name === 'ConditionalCheckFailedException') return false
      // A transaction holds the item. It may be one that only checks it.
      if (name !== 'TransactionConflictException') throw error
    }
  }
}

if (import.meta.main) await runCommand(rewriteCommand)
