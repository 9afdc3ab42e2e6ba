import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { StoredResource } from '../../shared/data/collection.ts'
import type { Attributes } from '../../shared/data/shards.ts'
import type { CollectionId } from '../../shared/data/tables.ts'
import { exactNumber } from '../../shared/model/json.ts'
import { resources } from '../../shared/resources.ts'
import { settings } from '../../shared/settings.ts'
import { CommandError, explained, run, timeouts, wholeNumber } from '../command-line.ts'
import { deploymentCommand, findCollection } from './deployment.ts'

const DESCRIPTION = `Stores the items of a collection as this version does, after a new filter or field. Requests go on meanwhile: what they
change stays, and no ETag becomes stale. It can run again at any time.`

const id = (text: string): number => {
  if (/^\d{1,16}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Use the id that an earlier run has printed.')
}

const command = deploymentCommand('npm run rewrite --', DESCRIPTION)
  .addOption(
    new Option('--collection <name>', 'the collection to rewrite')
      .choices(Object.keys(resources) as CollectionId[]) // `Object.keys` types them as any string.
      .makeOptionMandatory(),
  )
  .option('--after <id>', 'continue an earlier run after this id', id)
  .option('--per-second <number>', 'how many items to write in a second at most', wholeNumber(1, 1000), 25)
  .option('--json', 'print JSON, one line for each page; with npm run -s, nothing else is printed')
  .action(async ({ collection, json, after, perSecond, ...target }) => {
    const stop = new AbortController()
    const stopped = () => stop.abort(new CommandError('Stopped.'))
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stopped)
    const { table, readShards, writeShards } = await findCollection(target, collection)
    process.env[settings.readShards.variable] = readShards
    process.env[settings.writeShards.variable] = writeShards
    const print = (progress: Progress) => console.info(json ? JSON.stringify(progress) : lineOf(progress))
    await rewrite({
      table,
      itemOf: resources[collection].collection.itemOf,
      after,
      perSecond,
      signal: stop.signal,
      print,
    })
  })

/** How far a run is after a page: how many items it has read and written in all, and the last of them. */
type Progress = { read: number; written: number; after: number | undefined; unreadable: string[] }

const lineOf = ({ read, written, after, unreadable }: Progress): string =>
  [...unreadable, `${read} read, ${written} written, the last with the id ${after}.`].join('\n')

/** What to rewrite, from which id on, and how fast. `print` gets the progress after each page. */
type Plan = Pick<StoredResource, 'itemOf'> & {
  table: string
  after?: number | undefined
  perSecond: number
  signal: AbortSignal
  print: (progress: Progress) => void
}

/**
 * Reads a table, and puts each item that `itemOf` returns in another form, on condition that its revision is the one that was
 * read. The item keeps it: so a resend does no harm, and a later change or delete wins. Throws a CommandError that says
 * where to continue if it is stopped or DynamoDB fails, and at the end if items could not be read.
 */
export const rewrite = async ({ table, itemOf, perSecond, signal, print, ...plan }: Plan): Promise<void> => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(timeouts), {
    unmarshallOptions: { wrapNumbers: exactNumber },
  })
  let { after } = plan
  let [read, written, failed] = [0, 0, 0]
  const startingToken = after === undefined ? undefined : { id: after }
  try {
    const pages = paginateScan({ client, startingToken, pageSize: 1000 }, { TableName: table, ConsistentRead: true })
    for await (const { Items = [] } of pages) {
      const unreadable: string[] = []
      for (const item of Items) {
        signal.throwIfAborted()
        const wanted = formOf(item, itemOf)
        if (wanted instanceof Error) unreadable.push(wanted.message)
        else if (!isDeepStrictEqual(item, wanted) && (await replace(client, table, item, wanted))) {
          written++
          await pause(1000 / perSecond)
        }
        read++
        after = item.id
      }
      failed += unreadable.length
      print({ read, written, after, unreadable })
    }
  } catch (error) {
    const reason = explained(error)
    if (!(reason instanceof CommandError) || after === undefined) throw reason
    throw new CommandError(`${reason.message} To continue: --after ${after}`, { cause: error })
  }
  if (failed > 0) throw new CommandError(`${failed} items cannot be read, and stay as they are. Mend them by hand.`)
}

const formOf = (item: Attributes, itemOf: Plan['itemOf']): Attributes | Error => {
  try {
    if (typeof item.revision !== 'string') throw new Error(`The item ${item.id} has no revision.`)
    return itemOf(item)
  } catch (error) {
    return error as Error // `itemOf` throws nothing else.
  }
}

/** Puts an item in place of another, unless somebody has changed that since. */
const replace = async (client: DynamoDBDocumentClient, table: string, item: Attributes, wanted: Attributes) => {
  const put = new PutCommand({
    TableName: table,
    Item: wanted,
    ConditionExpression: 'revision = :revision',
    ExpressionAttributeValues: { ':revision': item.revision },
  })
  for (;;) {
    try {
      await client.send(put)
      return true
    } catch (error) {
      const { name } = error as Error // The SDK throws nothing else.
      if (name === 'ConditionalCheckFailedException') return false
      // A transaction holds the item. It may be one that only checks it.
      if (name !== 'TransactionConflictException') throw error
      await pause(100)
    }
  }
}

if (import.meta.main) await run(command)
