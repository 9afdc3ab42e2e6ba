import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo, Server as Listener } from 'node:net'
import { promisify } from 'node:util'
import { Level } from 'level'
import { CommandError } from '../commands/command-line.ts'

// Required rather than imported, because the package has no types.
const require = createRequire(import.meta.url)
const dynalite: (options: { path: string | undefined; createTableMs: number }) => Server = require('dynalite')
const internals: Internals = require('dynalite/db')

/**
 * Starts a DynamoDB in this process, where `listener` listens; by default on a free port of the loopback interface. It keeps
 * its data in `folder`; in memory by default. Throws a CommandError if the folder cannot be used.
 */
export const startEmbedded = async (folder?: string, listener?: Listener) => {
  const server = await openServer(folder).catch((error) => {
    throw new CommandError(`Cannot use the data folder: ${reasonOf(error)}`)
  })
  const [serve] = server.listeners('request') as RequestListener[] // A server has no other listeners of this event.
  server.removeAllListeners('request').on('request', (request, response) => {
    if (!isLocal(request)) return void response.writeHead(403).end('The database is closed to web pages.\n')
    serve?.(request, response)
    // dynalite throws, and so ends the process, when a client disconnects in the middle of a request.
    request.removeAllListeners('error').on('error', () => {})
  })
  await once(server.listen(listener ?? { port: 0, host: '127.0.0.1' }), 'listening')
  const { port } = server.address() as AddressInfo // A server on a TCP port has no other type of address.
  const close = async () => {
    const closed = promisify(server.close.bind(server))()
    server.closeAllConnections()
    await closed
  }
  return { endpoint: `http://127.0.0.1:${port}`, close }
}

/** A web page could send requests with its `Origin`, or with its own host name after DNS rebinding. */
const isLocal = ({ headers: { origin, host } }: IncomingMessage): boolean =>
  origin === undefined && /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(host ?? '')

/** Creates a server of dynalite, which itself would open its store at the first request, and not report why it cannot. */
const openServer = async (folder?: string): Promise<Server> => {
  // Not recursive, as LevelDB would do it: under /proc, Node.js then never returns.
  if (folder !== undefined && !existsSync(folder)) mkdirSync(folder)
  const server = dynalite({ path: folder, createTableMs: 0 })
  const store = created
  await store.open() // It locks the folder. The operating system unlocks it when the process ends.
  // If a process is killed while dynalite creates a table, the table stays in CREATING for good. It has no items yet.
  for await (const [key, { TableStatus }] of store.iterator({ gt: 'table~', lt: 'table~~' })) {
    if (TableStatus === 'CREATING') await store.del(key)
  }
  return server
}

const reasonOf = (error: unknown): unknown => {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(reason instanceof Error)) return reason
  return 'code' in reason && reason.code === 'LEVEL_LOCKED' ? 'another server is using it.' : reason.message
}

type Store = Level<string, { TableStatus?: string }>

/** The store that dynalite created last: it keeps its stores to itself. */
let created: Store

const { create } = internals
internals.create = (options) => {
  const store = create(options)
  created = store.db
  return store
}

// dynalite ends its iterators with `return`, as JavaScript's own iterators are ended, but those of Level only have
// `close`. Without this, every query would stay open and keep its snapshot of the store.
const stores: Pick<Level, 'attachResource'> = Object.getPrototypeOf(Level.prototype) // In-memory stores inherit it too.
const { attachResource } = stores
stores.attachResource = function (resource) {
  attachResource.call(this, Object.assign(resource, { return: () => resource.close() }))
}

type Change = { index: string; key: string; item?: object }

/** What this file replaces in dynalite, or uses of it. */
type Internals = {
  create: (options: object) => { db: Store }
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
