import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { service } from '../../shared/service.ts'
import { CommandError } from '../command-line.ts'
import { GREETING } from '../packages/embedded-dynamodb/index.ts'

export const LOOPBACK = '127.0.0.1'

/** Whether an address, or the host of a URL, is this machine's and reaches no other. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[?::1\]?)$/i.test(host)

type Ports = { api: Server; database?: Server }

/**
 * Listens on a port (0: any free one), and for an embedded database on the next, so that nobody
 * takes them during the start. Until servers listen, clients are disconnected.
 */
export const reservePorts = async (
  port: number,
  host: string,
  isEmbedded: boolean,
): Promise<Ports> => {
  const api = await listen(port, host)
  if (!isEmbedded) return { api }
  try {
    return { api, database: await listen(listeningAddress(api).port + 1, LOOPBACK) }
  } catch (error) {
    api.close()
    if (port !== 0) throw error
    return reservePorts(port, host, isEmbedded)
  }
}

/** Returns a server that listens, and disconnects clients. Throws a CommandError if it cannot. */
export const listen = async (port: number, host: string): Promise<Server> => {
  const server = createServer((socket) => socket.destroy())
  try {
    await once(server.listen(port, host), 'listening')
    return server
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException // Of a system call.
    if (code !== 'EADDRINUSE')
      throw new CommandError(`Cannot listen: ${message}. Choose another --host or --port.`)
    throw new CommandError(
      `${host}:${port} is in use by ${await userOf(host, port)}. ` +
        'Run npm start -- --port 0, which selects free ports: one for the API, and the next for ' +
        'its database.',
    )
  }
}

/** Who listens on a port. */
const userOf = async (host: string, port: number): Promise<string> => {
  // Loaded only here, because it loads the contract.
  const { referencePaths } = await import('../platform/gateway.ts')
  const document = `http://${urlHost(host)}:${port}${service.basePath}${referencePaths.document}`
  const signal = AbortSignal.timeout(2000)
  const text = await fetch(document, { signal }).then(
    (response) => response.text(),
    () => '',
  )
  if (text.startsWith(GREETING)) return 'a local database'
  return text.includes(JSON.stringify(service.title)) ? 'another local server' : 'another program'
}

/** The host of a URL that also reaches a server that listens on all addresses. */
export const urlHost = (address: string): string => {
  const host = address.replace(/^0\.0\.0\.0$/, LOOPBACK).replace(/^::$/, '::1')
  return host.includes(':') ? `[${host}]` : host
}

// A server on a TCP port has no other type of address.
export const listeningAddress = (server: Server): AddressInfo => server.address() as AddressInfo
