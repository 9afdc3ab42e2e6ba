import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { CommandError } from '../command-line.ts'

/**
 * Listens on a port (0: any free one), and for an embedded database on the next, so that nobody
 * takes them during the start. Closes connections until servers take over.
 */
export const reservePorts = async (
  port: number,
  host: string,
  isEmbedded: boolean,
): Promise<Ports> => {
  const api = await listen(port, host)
  if (!isEmbedded) return [api]
  try {
    return [api, await listen(listeningAddress(api).port + 1, '127.0.0.1')]
  } catch (error) {
    api.close()
    if (port !== 0) throw error
    return reservePorts(port, host, isEmbedded)
  }
}

type Ports = [api: Server, database?: Server]

const listen = async (port: number, host: string): Promise<Server> => {
  const server = createServer((socket) => socket.destroy())
  await once(server.listen(port, host), 'listening').catch(
    ({ code, message }: NodeJS.ErrnoException) => {
      const inUse = `${host}:${port} is in use, perhaps by another local server: it takes two ports, the second for its database`
      const problem = code === 'EADDRINUSE' ? inUse : `Cannot listen: ${message}`
      throw new CommandError(
        `${problem}. Choose another --host or --port; port 0 selects free ports.`,
      )
    },
  )
  return server
}

// A server on a TCP port has no other type of address.
export const listeningAddress = (server: Server): AddressInfo => server.address() as AddressInfo
