import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Level } from 'level'
import { CommandError } from '../command-line.ts'

/** A DynamoDB that runs in this process. */
type EmbeddedDatabase = { endpoint: string; close: () => Promise<void> }

// Required rather than imported, because the package has no types.
const require = createRequire(import.meta.url)
const dynalite: (options: { path: string | undefined; createTableMs: number }) => Server = require('dynalite')
const internals: Internals = require('dynalite/db')

/**
 * Starts a DynamoDB in this process, on a free port of the loopback interface.
 *
 * @param folder where it keeps its data; in memory by default
 * @throws CommandError if the folder cannot be used
 */
export const startEmbedded = async (folder?: string): Promise<EmbeddedDatabase> => {
  const unlock = folder === undefined ? undefined : await lockFolder(folder)
  const server = dynalite({ path: folder, createTableMs: 0 })
  const [serve] = server.listeners('request') as RequestListener[] // A server has no other listeners of this event.
  server.removeAllListeners('request').on('request', (request, response) => {
    if (!isLocal(request)) return void response.writeHead(403).end('The database is closed to web pages.\n')
    serve?.(request, response)
    // dynalite throws, and so ends the process, when a client disconnects in the middle of a request.
    request.removeAllListeners('error').on('error', () => {})
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // A server on a TCP port has no other type of address.
  const close = async () => {
    await new Promise<void>((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()))
      server.closeAllConnections()
    })
    await unlock?.()
  }
  return { endpoint: `http://127.0.0.1:${port}`, close }
}

/** A web page could send requests with its `Origin`, or with its own host name after DNS rebinding. */
const isLocal = ({ headers: { origin, host } }: IncomingMessage): boolean =>
  origin === undefined && /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(host ?? '')

/**
 * Locks a data folder and checks the store in it. dynalite opens the store only on the first request, and then does not
 * report what is wrong with it.
 */
const lockFolder = async (folder: string): Promise<() => Promise<void>> => {
  try {
    createFolder(folder)
    // dynalite cannot take over an open store, so it is closed for a moment. A separate lock keeps other servers out
    // meanwhile. The operating system releases the lock of a process that is killed.
    const lock = await openStore(join(folder, 'lock'))
    await repairStore(folder)
    return () => lock.close()
  } catch (error) {
    throw new CommandError(`Cannot use the data folder: ${reasonOf(error)}`)
  }
}

type Entry = { TableStatus?: string }

// Not recursive, as LevelDB would do it: under /proc, Node.js then never returns.
const createFolder = (folder: string): void => {
  if (!existsSync(folder)) mkdirSync(folder)
}

const openStore = async (folder: string): Promise<Level<string, Entry>> => {
  createFolder(folder)
  const store = new Level<string, Entry>(folder, { valueEncoding: 'json' })
  await store.open()
  return store
}

const repairStore = async (folder: string): Promise<void> => {
  const store = await openStore(folder)
  // If the process is killed while dynalite creates a table, the table stays in CREATING for good. It has no items yet.
  for await (const [key, { TableStatus }] of store.iterator({ gt: 'table~', lt: 'table~~' })) {
    if (TableStatus === 'CREATING') await store.del(key)
  }
  await store.close()
}

const reasonOf = (error: unknown): unknown => {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(reason instanceof Error)) return reason
  return 'code' in reason && reason.code === 'LEVEL_LOCKED' ? 'another server is using it.' : reason.message
}

// dynalite ends its iterators with `return`, as JavaScript's own iterators are ended, but those of Level only have
// `close`. Without this, every query would stay open and keep its snapshot of the store.
const stores: Pick<Level, 'attachResource'> = Object.getPrototypeOf(Level.prototype) // In-memory stores inherit it too.
const { attachResource } = stores
stores.attachResource = function (resource) {
  attachResource.call(this, Object.assign(resource, { return: () => resource.close() }))
}

type Change = { index: string; key: string; item?: object }

/** The parts of dynalite that `updateIndexes` uses. */
type Internals = {
  createKey: (item: object, table: object) => string
  getIndexActions: (...args: unknown[]) => { puts: Change[]; deletes: Change[] }
  updateIndexes: (
    store: { db: { batch: (writes: object[], done: () => void) => void } },
    table: { TableName: string; GlobalSecondaryIndexes?: object[] },
    before: object | undefined,
    after: object | undefined,
    done: () => void,
  ) => void
}

// dynalite writes an item's index entries one by one, and then the item. If the process were killed in between, lists would
// never agree with reads again. So one batch writes them all.
internals.updateIndexes = ({ db }, table, before, after, done) => {
  const { TableName, GlobalSecondaryIndexes: indexes } = table
  const item = after ?? before
  if (!item || !indexes) return done()
  const { puts, deletes } = internals.getIndexActions(indexes, before, after, table)
  const write = (key: string, value?: object) => ({ type: value ? 'put' : 'del', key, value })
  const entries = [...deletes, ...puts].map(({ index, key, item }) =>
    write(`index-global~${TableName}~${index}~${key}`, item),
  )
  db.batch([...entries, write(`item-${TableName}~${internals.createKey(item, table)}`, after)], done)
}
