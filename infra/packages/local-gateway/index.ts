import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Connection, writeResponse } from './connection.ts'
import { logResponse } from './log.ts'
import { newRequestId, Responder } from './responder.ts'
import type { GatewayOptions, Limits } from './types.ts'

export type { ErrorResponse, GatewayOptions, GatewayResponse, ProxyEvent, Route } from './types.ts'

const DEFAULTS: Limits = {
  maxHeaderSize: 10_240,
  bodyBytes: 1024 * 1024,
  maxConnections: 500,
  requests: 100,
}

export type Gateway = {
  /** A server that does not listen yet. */
  server: Server
  /**
   * Refuses new connections and completes the requests in flight, within `limitMs`. Disconnects
   * clients whose requests have not arrived completely.
   */
  stop: (limitMs: number) => Promise<void>
}

/**
 * Creates an HTTP server that passes requests to functions as API Gateway does, and logs each
 * response. It closes a connection that exceeds a limit or sends what Node.js refuses.
 */
export const createGateway = (options: GatewayOptions): Gateway => {
  const limits = { ...DEFAULTS, ...options.limits }
  const responder = new Responder(options, limits)
  // Without this setting, Node.js responds to a request without Host by itself, without a body.
  const server = createServer({ ...limits, requireHostHeader: false })
  server.maxConnections = limits.maxConnections
  const connections = new Map<Socket, Connection>()
  const working = new Map<IncomingMessage, Promise<void>>()
  const respondAndNote = async (message: IncomingMessage, response: ServerResponse) => {
    const responded = respond(responder, message, response)
    working.set(message, responded)
    await responded
    working.delete(message)
  }
  server.on('connection', (socket: Socket) => {
    connections.set(socket, new Connection(socket, limits.requests, respondAndNote))
    socket.on('close', () => connections.delete(socket))
  })
  const serve = (message: IncomingMessage, response: ServerResponse) =>
    connections.get(message.socket)?.serve(message, response)
  server.on('request', serve)
  // Node.js would respond to an unknown expectation by itself, without a body.
  server.on('checkExpectation', serve)
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) =>
    connections.get(socket)?.close(responder.clientErrorResponse(code)),
  )
  const stop = (limitMs: number) => stopServer(server, connections, working, limitMs)
  return { server, stop }
}

/** Responds to a request, and logs the response. */
const respond = async (
  responder: Responder,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const startedAt = performance.now()
  const requestId = newRequestId()
  const result = await responder.response(message, requestId)
  logResponse(message, result, requestId, performance.now() - startedAt)
  // After a request to upgrade the protocol, Node.js ignores what follows on the connection.
  if (message.headers.upgrade) response.setHeader('Connection', 'close')
  // The body is too large, and still arriving. `close` could cut the client off before it reads the
  // response; with `keep-alive`, Node.js reads the rest.
  if (!message.complete) response.setHeader('Connection', 'keep-alive')
  writeResponse(response, result)
}

const stopServer = async (
  server: Server,
  connections: ReadonlyMap<Socket, Connection>,
  working: ReadonlyMap<IncomingMessage, Promise<void>>,
  limitMs: number,
): Promise<void> => {
  const closed = once(server.close(), 'close')
  const isLate = pause(limitMs, undefined, { ref: false })
  for (const message of working.keys()) if (!message.complete) message.destroy()
  // When a client disconnects, its request still runs and needs the database.
  await Promise.race([Promise.all(working.values()), isLate])
  for (const socket of connections.keys()) socket.destroySoon()
  await Promise.race([closed, isLate])
  server.closeAllConnections()
}
