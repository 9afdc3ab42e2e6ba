import { once } from 'node:events'
import {
  createServer,
  IncomingMessage,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { finished } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { OperationId } from '../../../shared/contract.ts'
import type { ApiError } from '../../../shared/model/api-error.ts'
import type { ProxyEvent } from '../../../shared/pipeline/gateway-event.ts'
import { functionSettings } from '../../platform/functions.ts'
import { gatewayResponses } from '../../platform/gateway.ts'
import { atMost } from '../queue.ts'
import {
  type GatewayResponse,
  gatewayErrorResponse,
  newRequestId,
  responseTo,
} from './api-gateway.ts'
import { type Handler, invoke } from './lambda.ts'

const localLimits = {
  /** Size of the URL and headers in bytes, as in API Gateway: else 431. */
  maxHeaderSize: 10_240,
  /** Connections at once: more are closed. */
  maxConnections: 500,
  /** Requests in flight on one connection: one with more is closed. */
  requests: 100,
  /** Size of a body in bytes, also when decompressed: else 413. */
  bodyBytes: 1024 * 1024,
  // Hundreds at once would delay each other until their database calls time out.
  /** Functions that run at once; other requests wait. */
  functions: 16,
  /** Time for a function to respond: else 504. */
  functionMs: functionSettings.timeoutSeconds * 1000,
}

/** The limits of a local server, and those of Node.js that differ from its defaults. */
type Limits = typeof localLimits & ServerOptions

/**
 * Creates the HTTP server of the local API. It closes a connection that exceeds a limit or sends
 * what Node.js refuses.
 */
export const createLocalServer = (
  handlers: Record<OperationId, Handler>,
  other: Partial<Limits> = {},
) => {
  const limits = { ...localLimits, ...other }
  // Without this setting, Node.js responds to a request without Host by itself, without a body.
  const server = createServer({ ...limits, requireHostHeader: false })
  server.maxConnections = limits.maxConnections
  const connections = connectionsOf(server)
  const responding: Responding = new Set()
  const listener = requestListener(connections, responding, responder(handlers, limits), limits)
  server.on('request', listener)
  // Node.js would respond to an unknown expectation by itself, without a body.
  server.on('checkExpectation', listener)
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || connections.get(socket)?.inFlight) socket.destroy()
    else endWith(socket, clientError(code, limits.maxHeaderSize))
  })
  /** Refuses new connections and completes the requests in flight, within `limitMs`. */
  const stop = (limitMs = limits.functionMs): Promise<void> =>
    stopServer(server, connections, responding, limitMs)
  return { server, stop }
}

const stopServer = async (
  server: Server,
  connections: Connections,
  responding: Responding,
  limitMs: number,
): Promise<void> => {
  const closed = once(server.close(), 'close')
  const isLate = pause(limitMs, undefined, { ref: false })
  // When a client disconnects, its request still runs and needs the database.
  await Promise.race([Promise.all(responding), isLate])
  for (const socket of connections.keys()) socket.destroySoon()
  await Promise.race([closed, isLate])
  server.closeAllConnections()
}

/** The responses that functions are working on, also those for clients that have disconnected. */
type Responding = Set<Promise<void>>

type Connections = Map<Socket, { inFlight: number; inTurn: ReturnType<typeof atMost> }>

/** The open connections, each with its number of requests in flight and a queue for them. */
const connectionsOf = (server: Server): Connections => {
  const connections: Connections = new Map()
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { inFlight: 0, inTurn: atMost(1) })
    socket.on('close', () => connections.delete(socket))
  })
  return connections
}

type Respond = (message: IncomingMessage, response: ServerResponse) => Promise<void>

/** Responds to the requests of a connection one after the other. */
const requestListener =
  (connections: Connections, responding: Responding, respond: Respond, limits: Limits) =>
  async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { socket } = message
    const connection = connections.get(socket)
    if (!connection || connection.inFlight === limits.requests) return void socket.destroy()
    connection.inFlight++
    // Of a client that reads nothing, one response is in memory.
    await connection.inTurn(async () => {
      if (socket.destroyed) return
      const responded = respond(message, response)
      responding.add(responded)
      await responded
      responding.delete(responded)
      // If the client disconnects, they may never settle: then its other requests are dropped.
      await Promise.allSettled([finished(response), finished(message)])
    })
    connection.inFlight--
  }

/** Returns a function that responds to a request, and logs the response. */
const responder = (handlers: Record<OperationId, Handler>, limits: Limits): Respond => {
  const queue = atMost(limits.functions)
  const invokeInTurn = (id: OperationId, event: ProxyEvent) =>
    queue(() => invoke(id, handlers[id], event, limits.functionMs))
  return async (message, response) => {
    const startedAt = performance.now()
    const requestId = newRequestId()
    const result = await responseTo(message, requestId, limits.bodyBytes, invokeInTurn)
    logResponse(message, result, requestId, performance.now() - startedAt)
    // After a request to upgrade the protocol, Node.js ignores what follows on the connection.
    if (message.headers.upgrade) response.setHeader('Connection', 'close')
    // The body is too large, and still arriving. `close` could cut the client off before it reads
    // the response; with `keep-alive`, Node.js reads the rest.
    if (!message.complete) response.setHeader('Connection', 'keep-alive')
    writeResponse(response, result)
  }
}

const writeResponse = (
  response: ServerResponse,
  { statusCode, headers = {}, body }: GatewayResponse,
): void => {
  response.statusCode = statusCode
  response.setHeaders(new Map(Object.entries(headers)))
  response.end(body)
}

/** The response to what Node.js refuses, by its code. */
const clientError = (code: string | undefined, maxHeaderSize: number): ApiError => {
  if (code === 'HPE_HEADER_OVERFLOW') return gatewayResponses.headersTooLarge(maxHeaderSize)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return gatewayResponses.requestTimeout
  return gatewayResponses.badRequest
}

/** Sends an error that responds to no request, and ends the connection. */
const endWith = (socket: Socket, error: ApiError): void => {
  const response = new ServerResponse(new IncomingMessage(socket))
  response.assignSocket(socket)
  response.on('finish', () => socket.destroy())
  writeResponse(response, gatewayErrorResponse(newRequestId(), error))
}

/** Logs a response on one line. */
const logResponse = (
  { method = '', url = '' }: IncomingMessage,
  { statusCode, body = '' }: GatewayResponse,
  requestId: string,
  milliseconds: number,
): void => {
  const code = statusCode >= 400 && /^\{"code":"(\w+)"/.exec(`${body}`)?.[1]
  const columns = [
    new Date().toTimeString().slice(0, 8),
    method.padEnd(7),
    url.replace(/\?.*/s, '').padEnd(26),
    statusCode,
    `${Math.round(milliseconds)} ms`.padStart(7),
    (code || '').padEnd(22),
    requestId,
  ]
  console.info(columns.join('  '))
}
