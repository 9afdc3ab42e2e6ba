import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import dynalite from 'dynalite'
import { takeFolder } from './data-folder.ts'
import './ended-reads.ts'

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
