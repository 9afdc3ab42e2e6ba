import { hash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { Server as Listener } from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { tables } from '../../../shared/data/tables.ts'
import { CommandError } from '../../command-line.ts'
import { DATABASE_GREETING, isLoopback, LOOPBACK, listeningAddress } from '../ports.ts'
import { createStore } from './dynalite.ts'
import { createEngine } from './engine.ts'

/**
 * Starts a DynamoDB in this process, where `listener` listens (default: on a free port), with its
 * data in `folder` (default: in memory). Throws a CommandError if the folder cannot be used.
 */
export const startEmbedded = async (folder?: string, listener?: Listener) => {
  const { store, engine } = await open(folder).catch((error) => {
    throw new CommandError(`Cannot use the data folder ${folder}: ${failureReason(error)}`)
  })
  const server = createServer(async (request, response) => {
    if (!isLocal(request))
      return response.writeHead(403).end('The database is closed to web pages.\n')
    if (request.method === 'GET') return response.end(`${DATABASE_GREETING}\n`)
    const sent = await text(request).catch(() => undefined)
    if (sent === undefined) return // The client has disconnected.
    const operation = `${request.headers['x-amz-target']}`.replace(/^DynamoDB_20120810\./, '')
    const { statusCode, body } = await engine(operation, sent)
    response
      .writeHead(statusCode, { 'Content-Type': 'application/x-amz-json-1.0' })
      .end(JSON.stringify(body))
  })
  await once(server.listen(listener ?? { port: 0, host: LOOPBACK }), 'listening')
  const close = async () => {
    const closed = once(server.close(), 'close')
    server.closeAllConnections()
    await closed
    await store.db.close()
  }
  return { endpoint: `http://127.0.0.1:${listeningAddress(server).port}`, close }
}

/** A web page has an `Origin`, or after DNS rebinding a host name of its own. */
const isLocal = ({ headers: { origin, host } }: IncomingMessage): boolean =>
  origin === undefined && isLoopback((host ?? '').replace(/:\d+$/, ''))

const open = async (folder?: string) => {
  if (folder !== undefined) claim(folder)
  const store = createStore({ path: folder, createTableMs: 0 })
  // This locks the folder until the process ends.
  await store.db.open()
  return { store, engine: createEngine(store) }
}

/**
 * A file in each data folder, with another name for other tables or indexes. Raise its number when
 * stored items change their form.
 */
const FORMAT = `format-3-${hash('sha256', JSON.stringify(tables), 'hex').slice(0, 8)}`

/**
 * Creates a data folder, or checks one without opening it, because that changes it. Throws if it
 * has no data of this version: LevelDB would delete some of its files.
 */
const claim = (folder: string): void => {
  createFolder(folder)
  const files = readdirSync(folder)
  if (files.length === 0) writeFileSync(join(folder, FORMAT), '')
  else if (!files.includes(FORMAT))
    throw new Error(
      'it has other files, or data of another version. Choose a new folder, or use that version.',
    )
  else if (!files.includes('CURRENT'))
    throw new Error('its file CURRENT is missing. Restore that file, or choose a new folder.')
}

// With `recursive`, mkdirSync would never return from a folder such as /proc/data.
const createFolder = (folder: string): void => {
  if (existsSync(folder)) return
  createFolder(dirname(folder))
  mkdirSync(folder)
}

const failureReason = ({ message, cause }: Error): string => {
  if (!(cause instanceof Error)) return message
  return 'code' in cause && cause.code === 'LEVEL_LOCKED'
    ? 'another server is using it.'
    : cause.message
}
