import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import dynalite from 'dynalite'
import { Level } from 'level'
import { CommandError } from '../command-line.ts'

/** A DynamoDB that runs in this process, and its address. */
export type EmbeddedDatabase = { endpoint: string; close: () => Promise<void> }

/**
 * Starts a DynamoDB in this process, on a free port of the loopback interface.
 *
 * @param folder where its data is kept; in memory otherwise
 * @throws CommandError where the folder cannot be used
 */
export const startEmbedded = async (folder?: string): Promise<EmbeddedDatabase> => {
  const release = folder === undefined ? undefined : await takeFolder(folder)
  const server = dynalite({ path: folder, createTableMs: 0 })
  // dynalite throws, and so ends this process, when a client goes away in the middle of a request.
  server.on('request', (request) => request.removeAllListeners('error').on('error', () => {}))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // Only a server on a pipe has another kind of address.
  const close = async () => {
    await new Promise<void>((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()))
      server.closeAllConnections()
    })
    await release?.()
  }
  return { endpoint: `http://127.0.0.1:${port}`, close }
}

/**
 * Makes a folder ready for dynalite to keep its data in, and nobody else's until the function it returns is called.
 * dynalite opens its store when the first request comes, and then does not say what is wrong with it.
 *
 * @throws CommandError where the folder cannot be used
 */
export const takeFolder = async (folder: string): Promise<() => Promise<void>> => {
  try {
    makeFolder(folder)
    // The store is closed for a moment on its way to dynalite. A lock of our own keeps another server out even then;
    // the system takes it from a process that was killed.
    const lock = await openStore(join(folder, 'lock'))
    await checkStore(folder)
    return () => lock.close()
  } catch (error) {
    throw new CommandError(`The data folder cannot be used: ${reasonOf(error)}`)
  }
}

type Entry = { TableStatus?: string }

// Not recursive, as LevelDB would do it: there, Node.js never returns where /proc refuses.
const makeFolder = (folder: string): void => {
  if (!existsSync(folder)) mkdirSync(folder)
}

const openStore = async (folder: string): Promise<Level<string, Entry>> => {
  makeFolder(folder)
  const store = new Level<string, Entry>(folder, { valueEncoding: 'json' })
  await store.open()
  return store
}

const checkStore = async (folder: string): Promise<void> => {
  const store = await openStore(folder)
  // A process that was killed while dynalite made a table leaves one that is never ready. It has no items yet.
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

// dynalite reads through streams that end their iterators by `return`, as those of the language are ended. Level's know
// `close` alone: each query would stay open for good, and hold the store as it was then.
const stores: Pick<Level, 'attachResource'> = Object.getPrototypeOf(Level.prototype) // Of those in memory as well.
const { attachResource } = stores
stores.attachResource = function (resource) {
  attachResource.call(this, Object.assign(resource, { return: () => resource.close() }))
}
