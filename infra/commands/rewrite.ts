import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { Option } from '@commander-js/extra-typings'
import type { StoredResource } from '../../shared/data/collection.ts'
import type { Attributes } from '../../shared/data/shards.ts'
import type { CollectionId } from '../../shared/data/tables.ts'
import { exactNumber } from '../../shared/model/json.ts'
import { resources } from '../../shared/resources.ts'
import { CommandError, run, stopSignal, timeouts, wholeNumber } from '../command-line.ts'
import { deploymentCommand, findTable } from './deployment.ts'

const DESCRIPTION = `Stores the items of a collection as this version does, after a new filter or field. Requests go on meanwhile: what they
change stays, and no ETag becomes stale. It can be stopped and run again at any time.`

const command = deploymentCommand('npm run rewrite --', DESCRIPTION)
  .addOption(
    new Option('--collection <name>', 'required: the collection to rewrite')
      .choices(Object.keys(resources) as CollectionId[]) // `Object.keys` types them as any string.
      .makeOptionMandatory(),
  )
  .option('--per-second <number>', 'how many items to write in a second at most', wholeNumber(1, 1000), 200)
  .option('--check', 'write nothing, and fail if an item is not as this version stores it', false)
  .action(async ({ collection, perSecond, check: isCheck, ...target }) => {
    const signal = stopSignal()
    const table = await findTable(target, collection)
    const { itemOf } = resources[collection].collection
    await rewrite({ table, itemOf, perSecond, isCheck, signal })
  })

/** What to rewrite, and how fast. A check writes nothing. */
type Plan = Pick<StoredResource, 'itemOf'> & {
  table: string
  perSecond: number
  isCheck: boolean
  signal: AbortSignal
}

/** An item may have changed since it was read: then it is not different any more. An error says why it cannot be stored. */
type Outcome = 'same' | 'different' | Error

const AT_A_TIME = 8

/**
 * Reads a table, and changes the attributes in which an item differs from what `itemOf` returns, on condition that the item
 * still has the revision that was read, which it keeps. So a resend does no harm, a later change or delete wins, and the
 * rewrite of another version loses nothing. Prints items that cannot be read or stored, and passes them. Throws a CommandError
 * at the end if there were such items, or if a check has found a difference; and the reason of the signal.
 */
export const rewrite = async (plan: Plan): Promise<void> => {
  // The SDK sends less while DynamoDB throttles, and tries for about a minute.
  const dynamodb = new DynamoDBClient({ ...timeouts, retryMode: 'adaptive', maxAttempts: 10 })
  const client = DynamoDBDocumentClient.from(dynamodb, { unmarshallOptions: { wrapNumbers: exactNumber } })
  const counts = { read: 0, different: 0, failed: 0 }
  const print = () =>
    console.info(`${counts.read} read, ${counts.different} ${plan.isCheck ? 'different' : 'rewritten'}.`)

  const items = itemsOf(client, plan, print)
  const takeTurn = turnsOf(plan)
  const work = async () => {
    // The loops share one iterator. A loop that throws ends it for all.
    for await (const item of items) {
      const outcome = await rewriteItem(client, plan, item, takeTurn)
      counts.read++
      if (outcome === 'different') counts.different++
      if (!(outcome instanceof Error)) continue
      counts.failed++
      console.info(`The item ${item.id} stays as it is. ${outcome.message}`)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work)).finally(print)

  const problems: string[] = []
  if (plan.isCheck && counts.different > 0)
    problems.push(`${counts.different} items are not as this version stores them. Run this without --check.`)
  if (counts.failed > 0) problems.push(`${counts.failed} items cannot be read or stored. Mend them by hand.`)
  if (problems.length > 0) throw new CommandError(problems.join(' '))
}

/** All items of the table. Calls `print` after each page but the last. */
async function* itemsOf(client: DynamoDBDocumentClient, { table, signal }: Plan, print: () => void) {
  for await (const page of paginateScan({ client, pageSize: 1000 }, { TableName: table })) {
    for (const item of page.Items ?? []) {
      signal.throwIfAborted()
      yield item
    }
    if (page.LastEvaluatedKey) print()
  }
}

/** Waits until the next item may be written. Throws the reason of the signal. */
type TakeTurn = () => Promise<void>

const turnsOf = ({ perSecond, signal }: Plan): TakeTurn => {
  let next = 0
  return async () => {
    const now = performance.now()
    next = Math.max(next + 1000 / perSecond, now)
    await pause(next - now)
    signal.throwIfAborted()
  }
}

const rewriteItem = async (
  client: DynamoDBDocumentClient,
  plan: Plan,
  item: Attributes,
  takeTurn: TakeTurn,
): Promise<Outcome> => {
  const wanted = formOf(item, plan.itemOf)
  if (wanted instanceof Error) return wanted
  const update = updateOf(plan.table, item, wanted)
  if (!update) return 'same'
  return plan.isCheck ? 'different' : write(client, update, takeTurn)
}

const formOf = (item: Attributes, itemOf: Plan['itemOf']): Attributes | Error => {
  if (typeof item.revision !== 'string') return new Error('It has no revision.')
  try {
    return itemOf(item)
  } catch (error) {
    return error as Error // `itemOf` throws nothing else.
  }
}

/** Sets and removes the attributes that differ, unless somebody has changed the item; `undefined` if none differs. */
const updateOf = (TableName: string, item: Attributes, wanted: Attributes): UpdateCommand | undefined => {
  const different = Object.keys({ ...item, ...wanted }).filter((name) => !isDeepStrictEqual(item[name], wanted[name]))
  if (different.length === 0) return undefined
  const names: Record<string, string> = {}
  const values: Attributes = { ':revision': item.revision }
  const set: string[] = []
  const removed: string[] = []
  for (const [i, name] of different.entries()) {
    names[`#${i}`] = name
    if (wanted[name] === undefined) removed.push(`#${i}`)
    else {
      set.push(`#${i} = :${i}`)
      values[`:${i}`] = wanted[name]
    }
  }
  const clauses = [set.length > 0 ? `SET ${set}` : '', removed.length > 0 ? `REMOVE ${removed}` : '']
  return new UpdateCommand({
    TableName,
    Key: { id: item.id },
    UpdateExpression: clauses.join(' '),
    ConditionExpression: 'revision = :revision',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  })
}

const write = async (client: DynamoDBDocumentClient, update: UpdateCommand, takeTurn: TakeTurn): Promise<Outcome> => {
  for (;;) {
    await takeTurn()
    try {
      await client.send(update)
      return 'different'
    } catch (error) {
      const { name, message } = error as Error // The SDK throws nothing else.
      if (name === 'ConditionalCheckFailedException') return 'same'
      if (name === 'ValidationException') return new Error(message) // It would have more than 400 KB.
      // A transaction holds the item. It may be one that only checks it.
      if (name !== 'TransactionConflictException') throw error
    }
  }
}

if (import.meta.main) await run(command)
