import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { OperationId } from '../../../shared/contract.ts'
import { CommandError } from '../../command-line.ts'
import { atMost } from '../queue.ts'
import { newRequestId, responseTo } from './api-gateway.ts'
import { createOrderlyServer } from './connections.ts'
import { type Handler, invoke, type ProxyResponse } from './lambda.ts'
import { type Limits, localLimits } from './limits.ts'

export const LOOPBACK = '127.0.0.1'

/** Creates the HTTP server of the local API from the functions by operation. */
export const createLocalServer = (handlers: Record<OperationId, Handler>, limits: Limits = localLimits) => {
  const queue = atMost(limits.functions)
  return createOrderlyServer(limits, async (message, body) => {
    const requestId = newRequestId()
    const startedAt = performance.now()
    const result = await responseTo(message, body, requestId, (id, event) =>
      queue(() => invoke(id, handlers[id], event, limits.functionMs)),
    )
    if (message.method) logResponse(message, result, requestId, performance.now() - startedAt) // Else, it is no request.
    return result
  })
}

/** Logs a response on one line: its error code, but nothing else of the headers and bodies. */
const logResponse = (message: IncomingMessage, result: ProxyResponse, requestId: string, milliseconds: number) => {
  const { method = '', url = '' } = message
  const { statusCode, body = '' } = result
  // Somebody may have pasted an API key into the path, perhaps percent-encoded. No id is as long as one.
  const path = url.replace(/\?.*/s, '').replaceAll(/[^/]{24,}/g, '…')
  const code = (statusCode >= 400 && /^\{"code":"(\w+)"/.exec(body)?.[1]) || ''
  // 13:20:51  GET      /v1/…/373212905455903       404     3 ms  not_found               WtooPXbkRGDu1bY=
  const columns = [
    new Date().toTimeString().slice(0, 8),
    method.padEnd(7),
    path.padEnd(26),
    statusCode,
    `${Math.round(milliseconds)} ms`.padStart(7),
    code.padEnd(22),
    requestId,
  ]
  console.info(columns.join('  '))
}

/**
 * Listens on a port, and for an embedded database on the next one of this machine. Port 0 selects free ports. This comes
 * before anything else, so that nobody takes a port meanwhile. Connections are closed until the servers take over.
 */
export const reserve = async (
  port: number,
  host: string,
  isEmbedded: boolean,
): Promise<[api: Server, database?: Server]> => {
  const api = await listen(port, host)
  if (!isEmbedded) return [api]
  try {
    return [api, await listen(addressOf(api).port + 1, LOOPBACK)]
  } catch (error) {
    api.close()
    if (port !== 0) throw error
    return reserve(port, host, isEmbedded)
  }
}

const listen = async (port: number, host: string): Promise<Server> => {
  const server = createServer((socket) => socket.destroy())
  await once(server.listen(port, host), 'listening').catch(({ code, message }: NodeJS.ErrnoException) => {
    const inUse = `${host}:${port} is in use, perhaps by another local server: it takes two ports, the second for its database`
    const problem = code === 'EADDRINUSE' ? inUse : `Cannot listen: ${message}`
    throw new CommandError(`${problem}. Choose another --host or --port; port 0 selects free ports.`)
  })
  return server
}

// A server on a TCP port has no other type of address.
export const addressOf = (server: Server): AddressInfo => server.address() as AddressInfo
