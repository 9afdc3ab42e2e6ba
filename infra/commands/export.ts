import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { entries } from '../../shared/contract.ts'
import { stringifyJson } from '../../shared/model/json.ts'
import { CommandError, runCommand, stopSignal, typedPath } from '../command-line.ts'
import { ApiClient, hasStatus } from './api-client.ts'
import { withCommandKey } from './api-keys.ts'
import { type Deployment, deploymentCommand, findDeployment } from './deployment.ts'
import { csvLine, formatOf } from './pet-rows.ts'
import { Progress } from './progress.ts'

const DESCRIPTION = `\
Writes a collection to a file, newest first, as the API lists it. npm run import adds the pets of
such a file, with new ids. A spreadsheet may run a text that begins with = as a formula.`

const exportCommand = deploymentCommand('npm run export --', DESCRIPTION)
  .argument('<collection>', 'the last part of the path of a list, such as pets')
  .argument('<file>', 'a .jsonl or .csv file; an older one is replaced at the end', typedPath)
  .action(async (collection, file, target) => {
    const signal = stopSignal()
    await exportItems(collection, file, await findDeployment(target), signal)
  })

/**
 * Writes all items of a collection to a file. If it fails, an older file stays as it is. Throws a
 * CommandError, or the reason of the signal.
 */
export const exportItems = async (
  collection: string,
  file: string,
  deployment: Deployment,
  signal: AbortSignal,
): Promise<void> => {
  const format = formatOf(file)
  const lists = Object.values(entries).filter(({ params, pages }) => pages && !params)
  const names = lists.map(({ path }) => basename(path))
  const list = lists[names.indexOf(collection)]
  if (!list) throw new CommandError(`There is no list of ${collection}. Use ${names.join(' or ')}.`)
  const { path, scope, pages } = list
  const fields = Object.keys(Object(pages).item.entries) // An array of objects, by its schema.
  await withCommandKey(deployment, 'export', [scope], async (apiKey) => {
    const progress = new Progress(collection)
    const api = new ApiClient({ ...deployment, apiKey, signal, progress })
    const items = itemsOf(api, path, progress)
    // Of this run alone: two may write the same file.
    const part = `${file}.${randomUUID()}.part`
    try {
      await writeFile(part, format === 'csv' ? csvLines(items, fields) : jsonLines(items))
      await rename(part, file)
    } finally {
      await rm(part, { force: true })
    }
    console.info(`${file} has ${progress.done} ${collection}.`)
  })
}

type Item = Record<string, unknown>

async function* itemsOf(api: ApiClient, path: string, progress: Progress): AsyncGenerator<Item> {
  for (let query: string | undefined = '?limit=100'; query !== undefined; ) {
    const page = { method: 'GET', path: path + query }
    const { status, json, headers } = await api.send(page, hasStatus(200, 400))
    if (status === 400) throw new CommandError(`The API refused a page: ${Object(json).message}`)
    for (const item of json as Item[]) {
      progress.count()
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

if (import.meta.main) await runCommand(exportCommand)
