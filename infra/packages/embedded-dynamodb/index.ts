import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { claimFolder, DataFolderError, folderError } from './data-folder.ts'
import type { Engine } from './engine.ts'

export { DataFolderError }

/** Where an embedded DynamoDB keeps its data. */
export type DataFolder = {
  path: string
  /** The number of the form of the data. A folder with another number is refused. */
  format: number
}

type Options = {
  /** Default: in memory, until the process ends. */
  folder?: DataFolder | undefined
  /** A server that listens already: the database takes its port over. Default: a free port. */
  listener?: Server | undefined
}

type EmbeddedDynamoDB = {
  /** The address for any DynamoDB client. Only this machine can reach it, and no web page. */
  endpoint: string
  /** Resolves when the disk fails, such as a full one. Data that was confirmed is safe. */
  failed: Promise<DataFolderError>
  close: () => Promise<void>
}

/** The response to a GET, which is also DynamoDB's. */
export const GREETING = 'healthy: dynamodb'

/** Starts a DynamoDB in this process. Throws a DataFolderError if the folder cannot be used. */
export const startEmbedded = async ({
  folder,
  listener,
}: Options = {}): Promise<EmbeddedDynamoDB> => {
  const { store, engine } = await open(folder)
  const { promise: failed, resolve: fail } = Promise.withResolvers<DataFolderError>()
  const server = createServer(
    requestListener(engine, (error) => fail(folderError(folder?.path, error))),
  )
  await once(server.listen(listener ?? { port: 0, host: '127.0.0.1' }), 'listening')
  const close = async () => {
    const closed = once(server.close(), 'close')
    server.closeAllConnections()
    await closed
    await store.db.close()
  }
  // A server on a TCP port has no other type of address.
  const { port } = server.address() as AddressInfo
  return { endpoint: `http://127.0.0.1:${port}`, failed, close }
}

/** Responds to requests. Calls `fail` when the engine throws, which then has no response. */
const requestListener =
  (engine: Engine, fail: (error: unknown) => void): RequestListener =>
  async (request, response) => {
    if (!isLocal(request))
      return response.writeHead(403).end('The database is closed to web pages.\n')
    if (request.method === 'GET') return response.end(`${GREETING}\n`)
    const sent = await text(request).catch(() => undefined)
    if (sent === undefined) return // The client has disconnected.
    const action = `${request.headers['x-amz-target']}`.replace(/^DynamoDB_20120810\./, '')
    try {
      const { statusCode, body } = await engine(action, sent)
      response
        .writeHead(statusCode, { 'Content-Type': 'application/x-amz-json-1.0' })
        .end(JSON.stringify(body))
    } catch (error) {
      fail(error)
      response.destroy()
    }
  }

/** A web page has an `Origin`, or after DNS rebinding a host name of its own. */
const isLocal = ({ headers: { origin, host = '' } }: IncomingMessage): boolean =>
  origin === undefined && LOOPBACK.test(host.replace(/:\d+$/, ''))

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/i

const open = async (folder: DataFolder | undefined) => {
  // The path may lead through a folder that does not exist, such as `new/../data`.
  const path = folder && resolve(folder.path)
  try {
    if (folder && path) claimFolder(path, folder.format)
    // Loaded only here, because they take a fifth of a server's start.
    const { createStore } = await import('./dynalite.ts')
    const { createEngine } = await import('./engine.ts')
    const store = createStore({ path, createTableMs: 0 })
    // This locks the folder until the process ends.
    await store.db.open()
    return { store, engine: createEngine(store) }
  } catch (error) {
    throw folder ? folderError(folder.path, error) : error
  }
}
