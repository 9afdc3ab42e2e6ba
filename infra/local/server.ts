import { createServer, type IncomingMessage, Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { finished } from 'node:stream/promises'
import type { OperationId } from '../../shared/contract.ts'
import { ApiError } from '../../shared/model/api-error.ts'
import { service } from '../../shared/service.ts'
import { gatewayResponses } from '../gateway.ts'
import {
  documentPaths,
  documentResponse,
  gatewayResponse,
  newRequestId,
  preflightResponse,
  redirectToReference,
} from './gateway-responses.ts'
import { type Handler, invoke, type ProxyResponse } from './lambda.ts'
import { refuseMalformed } from './malformed.ts'
import { proxyEvent, readBody, readTarget } from './proxy-event.ts'
import { logResponse, pathForLog } from './request-log.ts'
import { methodsOf, routeOf } from './routes.ts'

/** The functions of the API by operation, and the time limit of each in milliseconds. */
type Functions = { handlers: Record<OperationId, Handler>; timeoutMs: number }

/**
 * Time limits for clients, in milliseconds: `requestMs` to send a request, `silenceMs` without accepting any more of a
 * response. `checkMs` is how often the first is checked.
 */
export type Patience = { requestMs: number; silenceMs: number; checkMs: number }

const PATIENCE = { requestMs: 30_000, silenceMs: 30_000, checkMs: 5_000 }

/** Stops a server: refuses new requests and completes those in flight, but waits no longer than `limitMs`. */
type Stop = (limitMs: number) => Promise<void>

/** Creates the HTTP server of the local API. It does for the functions what API Gateway does in AWS. */
export const createLocalServer = (
  functions: Functions,
  { requestMs, silenceMs, checkMs }: Patience = PATIENCE,
): { server: Server; stop: Stop } => {
  // In AWS, each concurrent invocation has a process and database connections of its own. Here, hundreds at once would
  // delay each other until their database calls time out.
  const setup = { ...functions, silenceMs, queue: atMost(16) }
  const inFlight = new Set<Promise<void>>()
  const connections = new WeakMap<Socket, { turn: ReturnType<typeof atMost>; requests: number }>()
  const listener = (message: IncomingMessage, response: ServerResponse) => {
    // The requests of a connection are served one after the other, so that nobody can occupy the server with one.
    const connection = connections.get(message.socket) ?? { turn: atMost(1), requests: 0 }
    connections.set(message.socket, connection)
    if (++connection.requests > MAX_PIPELINED) return void message.socket.destroy()
    const body = readBody(message)
    body.catch(() => {}) // A turn later, `resultOf` awaits it.
    const work = connection.turn(() => respond(setup, message, response, body))
    inFlight.add(work)
    work.finally(() => {
      connection.requests--
      inFlight.delete(work)
    })
  }
  const server = createServer({
    maxHeaderSize: 10_240, // API Gateway's limit.
    requestTimeout: requestMs, // A request that never ends must not keep the server from stopping.
    connectionsCheckingInterval: checkMs,
    requireHostHeader: false, // Node.js would respond without the error body; readTarget checks the header.
  })
  // A client that closes its side after a request still expects the response (RFC 9112, section 6.3).
  Object.assign(server, { httpAllowHalfOpen: true })
  refuseMalformed(server.on('request', listener).on('checkExpectation', listener))
  return { server, stop: stopping(server, inFlight) }
}

/** How many requests a client may send on a connection before it reads the first response. */
const MAX_PIPELINED = 100

type Setup = Functions & { silenceMs: number; queue: ReturnType<typeof atMost> }

const respond = async (
  setup: Setup,
  message: IncomingMessage,
  response: ServerResponse,
  body: Promise<Buffer>,
): Promise<void> => {
  if (message.socket.destroyed) return
  const requestId = newRequestId()
  const request = { requestId, startedAt: performance.now(), method: message.method, path: pathForLog(message) }
  const result = await resultOf(setup, message, requestId, body).catch((error) => {
    if (error instanceof ApiError) return gatewayResponse(requestId, error)
    console.error('Request %s failed:', requestId, error)
    return gatewayResponse(requestId, gatewayResponses.badGateway)
  })
  logResponse(request, result)
  response.statusCode = result.statusCode
  response.setHeaders(new Map(Object.entries(result.headers ?? {})))
  // `server.close()` ends the connections that are idle at that moment, not those that become idle later. And after a
  // request to upgrade, Node.js ignores malformed requests.
  if (!isListening(message) || message.headers.upgrade) response.setHeader('Connection', 'close')
  response.setTimeout(setup.silenceMs).end(result.body)
  await finished(response).catch(() => {}) // The client has disconnected.
}

const resultOf = async (
  { handlers, timeoutMs, queue }: Setup,
  message: IncomingMessage,
  requestId: string,
  wholeBody: Promise<Buffer>,
): Promise<ProxyResponse> => {
  // Read the whole body first: a client may not read the response while it is still sending.
  const body = await wholeBody
  const { path, query } = readTarget(message)
  const route = routeOf(path)
  if (!route && isBrowserAtTop(message, path)) return redirectToReference(requestId)
  if (!route) throw gatewayResponses.notFound
  if (documentPaths.includes(route.resource)) return documentResponse(requestId, message.method, route.resource)
  if (message.method === 'OPTIONS') return preflightResponse(requestId, methodsOf(route))
  const id = route.operations[message.method ?? '']
  if (!id) throw gatewayResponses.methodNotAllowed(methodsOf(route))
  const event = proxyEvent({ message, path, query, body, requestId }, route)
  return queue(() => invoke(id, handlers[id], event, timeoutMs))
}

const isBrowserAtTop = ({ method, headers }: IncomingMessage, path: string): boolean =>
  method === 'GET' &&
  ['', service.basePath].includes(path.replace(/\/$/, '')) &&
  /\btext\/html\b/.test(headers.accept ?? '')

const isListening = ({ socket }: IncomingMessage): boolean =>
  'server' in socket && socket.server instanceof Server && socket.server.listening

const stopping = (server: Server, inFlight: Set<Promise<void>>): Stop => {
  const connections = new Set<Socket>()
  server.on('connection', (socket) => connections.add(socket.on('close', () => connections.delete(socket))))
  return async (limitMs) => {
    const expired = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      server.closeAllConnections()
      expired.resolve()
    }, limitMs)
    const closed = new Promise((resolve) => server.close(resolve))
    // `close` ends idle connections, except those that never carried a request, which browsers open in advance.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
    await closed
    // When a client disconnects, its request still runs and needs the database.
    await Promise.race([Promise.all(inFlight), expired.promise])
    clearTimeout(timer)
  }
}

/** Runs at most `limit` tasks at once. The others wait, and start in the order in which they came. */
export const atMost = (limit: number) => {
  let running = 0
  const waiting: (() => void)[] = []
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (running < limit) running++
    else await new Promise<void>((start) => waiting.push(start))
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
