import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { CommandError } from '../command-line.ts'
import { type ApiError, apiError, createStore, isApiError, type Store } from './dynalite.ts'
import { createEngine, type Engine } from './engine.ts'

/**
 * Starts a DynamoDB in this process, on a free port of the loopback interface. It keeps its data in `folder`; in memory
 * by default. Throws a CommandError if the folder cannot be used.
 */
export const startEmbedded = async (folder?: string) => {
  const store = await openStore(folder).catch((error) => {
    throw new CommandError(`Cannot use the data folder: ${reasonOf(error)}`)
  })
  const engine = createEngine(store)
  const server = createServer(async (request, response) => {
    if (!isLocal(request)) return response.writeHead(403).end('The database is closed to web pages.\n')
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return // The client has disconnected.
    const { statusCode, body: result } = await responseTo(engine, `${request.headers['x-amz-target']}`, body)
    response.writeHead(statusCode, { 'Content-Type': 'application/x-amz-json-1.0' }).end(JSON.stringify(result))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // A server on a TCP port has no other type of address.
  const close = async () => {
    const closed = promisify(server.close.bind(server))()
    server.closeAllConnections()
    await closed
    await store.db.close()
  }
  return { endpoint: `http://127.0.0.1:${port}`, close }
}

/** A web page could send requests with its `Origin`, or with its own host name after DNS rebinding. */
const isLocal = ({ headers: { origin, host } }: IncomingMessage): boolean =>
  origin === undefined && /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(host ?? '')

const responseTo = async (
  engine: Engine,
  target = '',
  body: string,
): Promise<Pick<ApiError, 'statusCode' | 'body'>> => {
  try {
    return { statusCode: 200, body: await engine(target.replace(/^DynamoDB_20120810\./, ''), JSON.parse(body)) }
  } catch (error) {
    if (isApiError(error)) return error
    // dynalite throws a TypeError for `null` in some places.
    if (error instanceof SyntaxError || error instanceof TypeError)
      return apiError('SerializationException', error.message)
    throw error
  }
}

const openStore = async (folder?: string): Promise<Store> => {
  // Not recursive, as LevelDB would do it: under /proc, Node.js then never returns.
  if (folder !== undefined && !existsSync(folder)) mkdirSync(folder)
  const store = createStore({ path: folder, createTableMs: 0 })
  await store.db.open() // It locks the folder. The operating system unlocks it when the process ends.
  // If a process is killed while dynalite creates a table, the table stays in CREATING for good. It has no items yet.
  for await (const [key, { TableStatus }] of store.db.iterator({ gt: 'table~', lt: 'table~~' })) {
    if (TableStatus === 'CREATING') await store.db.del(key)
  }
  return store
}

const reasonOf = (error: unknown): unknown => {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(reason instanceof Error)) return reason
  return 'code' in reason && reason.code === 'LEVEL_LOCKED' ? 'another server is using it.' : reason.message
}
