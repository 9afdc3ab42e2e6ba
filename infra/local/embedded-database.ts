import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import dynalite from 'dynalite'
import { Level } from 'level'
import { UsageError } from './options.ts'

/** A DynamoDB that runs in this process, and its address. */
export type EmbeddedDatabase = { endpoint: string; close: () => Promise<void> }

/**
 * Starts a DynamoDB in this process, on a free port of the loopback interface.
 *
 * @param folder where its data is kept; in memory otherwise
 * @throws UsageError where the folder cannot be used
 */
export const startEmbedded = async (folder?: string): Promise<EmbeddedDatabase> => {
  if (folder !== undefined) await checkFolder(folder)
  const server = dynalite({ path: folder, createTableMs: 0 })
  // dynalite throws, and so ends this process, when a client goes away in the middle of a request.
  server.on('request', (request) => request.removeAllListeners('error').on('error', () => {}))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // Only a server on a pipe has another kind of address.
  const close = () =>
    new Promise<void>((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()))
      server.closeAllConnections()
    })
  return { endpoint: `http://127.0.0.1:${port}`, close }
}

// dynalite opens its store when the first request comes, and does not say what is wrong with it.
const checkFolder = async (folder: string): Promise<void> => {
  try {
    if (!existsSync(folder)) mkdirSync(folder) // Not recursive: Node.js never returns where /proc refuses.
    const level = new Level(folder)
    await level.open()
    await level.close()
  } catch (error) {
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw new UsageError(`The data folder cannot be used: ${reason instanceof Error ? reason.message : reason}`)
  }
}
