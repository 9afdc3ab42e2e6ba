import { randomUUID } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { Argument, Option } from '@commander-js/extra-typings'
import { entries } from '../../shared/contract.ts'
import { stringifyJson } from '../../shared/model/json.ts'
import { propertyNames } from '../../shared/model/names.ts'
import { Order } from '../../shared/orders/order.ts'
import { Pet } from '../../shared/pets/pet.ts'
import { CommandError, run, stopSignal } from '../command-line.ts'
import { ApiClient } from './api-client.ts'
import { withCommandKey } from './command-key.ts'
import { deploymentCommand, findDeployment } from './deployment.ts'
import { cannotWrite } from './import-record.ts'
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
    const { path, scope, fields } = lists[collection]
    const progress = new Progress(collection)
    // Several may run at once: each revokes its own key only.
    const owner = { clientId: 'export', name: `export ${randomUUID()}`, scopes: [scope] }
    try {
      await withCommandKey(deployment, owner, async (apiKey) => {
        const api = new ApiClient({ ...deployment, apiKey, perSecond: 100, signal, progress })
        const items = itemsOf(api, path, progress)
        const lines = format === 'csv' ? csvLines(items, fields) : jsonLines(items)
        await pipeline(lines, process.stdout, { end: false }).catch(assertBrokenPipe)
      })
    } finally {
      progress.stop()
    }
  })

type Item = Record<string, unknown>

async function* itemsOf(api: ApiClient, path: string, progress: Progress): AsyncGenerator<Item> {
  for (let query: string | undefined = '?limit=100'; query !== undefined; ) {
    const page = { method: 'GET', path: path + query, statuses: [200, 400] }
    const { status, json, headers } = await api.send(page)
    if (status === 400) throw new CommandError(`The API refused a page: ${Object(json).message}`)
    for (const item of json as Item[]) {
      progress.add()
      yield item
    }
    // Only the cursor, because the link may name another host.
    const link = headers.get('Link') ?? ''
    const cursor = /[?&](cursor=[\w-]+)[^>]*>; rel="next"/.exec(link)?.[1]
    query = cursor && `?limit=100&${cursor}`
  }
}

async function* csvLines(items: AsyncIterable<Item>, fields: string[]): AsyncGenerator<string> {
  yield csvLine(fields)
  for await (const item of items) yield csvLine(fields.map((name) => item[name]))
}

async function* jsonLines(items: AsyncIterable<Item>): AsyncGenerator<string> {
  for await (const item of items) yield `${stringifyJson(item)}\n`
}

/** Throws other errors than that of a reader, such as `head`, that has enough. */
const assertBrokenPipe = (error: NodeJS.ErrnoException): void => {
  if (error.syscall !== 'write') throw error
  if (error.code !== 'EPIPE') throw cannotWrite('Standard output', error)
  process.exitCode = 0
}

if (import.meta.main) await run(exportCommand)
