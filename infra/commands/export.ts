import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Argument, Option } from '@commander-js/extra-typings'
import { entries } from '../../shared/contract.ts'
import { exactJson, stringifyJson } from '../../shared/model/json.ts'
import { propertyNames } from '../../shared/model/names.ts'
import { Order } from '../../shared/orders/order.ts'
import { Pet } from '../../shared/pets/pet.ts'
import { CommandError, run, stopSignal } from '../command-line.ts'
import { ApiClient } from './api-client.ts'
import { withCommandKey } from './command-key.ts'
import { deploymentCommand, findDeployment } from './deployment.ts'
import { csvLine } from './pet-lines.ts'
import { Progress } from './progress.ts'

const lists = {
  pets: { ...entries.listPets, fields: Object.keys(Pet.entries) },
  orders: { ...entries.listOrders, fields: Object.keys(Order.entries) },
}

const DESCRIPTION = `\
Writes all pets or orders to standard output, newest first, as the API returns them. npm run import
adds the pets of such a file, with new ids. Orders cannot be imported.`

const exportCommand = deploymentCommand('npm run -s export --', DESCRIPTION)
  .addArgument(new Argument('<collection>', 'what to write').choices(propertyNames(lists)))
  .addOption(
    new Option('--format <format>', 'JSON, or CSV with a header')
      .choices(['jsonl', 'csv'])
      .default('jsonl' as const),
  )
  .action(async (collection, { format, ...target }) => {
    const signal = stopSignal()
    const deployment = await findDeployment(target)
    const { scope, fields } = lists[collection]
    const progress = new Progress(collection)
    const say = (line: string) => progress.say(line)
    // Several may run at once: each revokes its own key only.
    const name = `export ${randomUUID()}`
    const owner = { clientId: 'export', name, scopes: [scope] }
    try {
      await withCommandKey(deployment, owner, async (apiKey) => {
        const access = { baseUrl: deployment.baseUrl, apiKey, perSecond: 100, signal, say }
        const items = itemsOf(new ApiClient(access), collection, progress)
        const lines = format === 'csv' ? csvLines(items, fields) : jsonLines(items)
        await pipeline(Readable.from(lines), process.stdout, { end: false }).catch(assertBrokenPipe)
      })
    } finally {
      progress.stop()
    }
  })

type Item = Record<string, unknown>

async function* itemsOf(
  api: ApiClient,
  collection: keyof typeof lists,
  progress: Progress,
): AsyncGenerator<Item> {
  const { method, path } = lists[collection]
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query: string = cursor && `&cursor=${cursor}`
    const page = { method, path: `${path}?limit=100${query}`, success: 200, refusals: [400] }
    const response = await api.send(page)
    if (response?.status !== 200)
      throw new CommandError(`The API refused a page: ${Object(response?.json).message}`)
    const { text, json, headers } = response
    for (const item of exactJson(text, json) as Item[]) {
      progress.add()
      yield item
    }
    // Only the cursor, because the link may name another host.
    cursor = /[?&]cursor=([\w-]+)[^>]*>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]
  }
}

async function* jsonLines(items: AsyncIterable<Item>): AsyncGenerator<string> {
  for await (const item of items) yield `${stringifyJson(item)}\n`
}

async function* csvLines(items: AsyncIterable<Item>, fields: string[]): AsyncGenerator<string> {
  yield `${csvLine(fields)}\r\n`
  for await (const item of items) yield `${csvLine(fields.map((name) => item[name]))}\r\n`
}

/** A reader such as `head` has enough. */
const assertBrokenPipe = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') throw error
  process.exitCode = 0
}

if (import.meta.main) await run(exportCommand)
