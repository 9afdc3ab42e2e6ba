import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { CommandError } from '../command-line.ts'

export const LOOPBACK = '127.0.0.1'

/** Whether an address, or the host of a URL, is this machine's and reaches no other. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[?::1\]?)$/i.test(host)

/**
 * Checks that a port is free (0: selects one), on which the API listens later, in another process.
 * Listens on the next one for the database.
 */
export const reservePorts = async (
  port: number,
  host: string,
): Promise<{ api: number; database: Server }> => {
  const server = await listen(closingServer(), port, host)
  const { port: api } = listeningAddress(server)
  try {
    return { api, database: await listen(closingServer(), api + 1, LOOPBACK) }
  } catch (error) {
    if (port !== 0) throw error
    return await reservePorts(port, host)
  } finally {
    server.close()
  }
}

/** Until the servers listen, clients are disconnected. */
const closingServer = (): Server => createServer((socket) => socket.destroy())

/** Lets a server listen, and returns it. Throws a CommandError if the port is in use. */
export const listen = async (server: Server, port: number, host: string): Promise<Server> => {
  try {
    await once(server.listen(port, host), 'listening')
    return server
  } catch (error) {
    if (Object(error).code !== 'EADDRINUSE') throw error
    throw new CommandError(
      `${host}:${port} is in use, perhaps by another local server. Run npm start -- --port 0, ` +
        'which selects free ports: one for the API, and the next for its database.',
    )
  }
}

// A server on a TCP port has no other type of address.
export const listeningAddress = (server: Server): AddressInfo => server.address() as AddressInfo
