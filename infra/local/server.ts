import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { finished } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { styleText } from 'node:util'
import { contract, type OperationId } from '../../shared/contract.ts'
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
import { proxyEvent, readBody, readTarget } from './proxy-event.ts'
import { methodsOf, routesOf } from './routes.ts'

/** The functions of the API by operation, and the time limit of each in milliseconds. */
type Functions = { handlers: Record<OperationId, Handler>; timeoutMs: number }

type Setup = Functions & { queue: ReturnType<typeof atMost> }

/** Stops a server: refuses new connections and completes the requests in flight, but waits no longer than `limitMs`. */
type Stop = (limitMs: number) => Promise<void>

/**
 * Creates the HTTP server of the local API. It does for the functions what API Gateway does in AWS. Only what is not valid
 * HTTP gets Node.js's own response, without the error body.
 */
export const createLocalServer = (functions: Functions): { server: Server; stop: Stop } => {
  // In AWS, each concurrent invocation has a process and database connections of its own. Here, hundreds at once would
  // delay each other until their database calls time out.
  const setup = { ...functions, queue: atMost(16) }
  const inFlight = new Set<Promise<void>>()
  const connections = new WeakMap<Socket, { requests: number; last: Promise<void> }>()
  const listener = (message: IncomingMessage, response: ServerResponse) => {
    // The requests of a connection are served one after the other, so that nobody can occupy the server with one.
    const connection = connections.get(message.socket) ?? { requests: 0, last: Promise.resolve() }
    connections.set(message.socket, connection)
    if (++connection.requests > MAX_PIPELINED) return void message.socket.destroy()
    const work = connection.last.then(() => respond(setup, message, response, () => server.listening))
    connection.last = work
    inFlight.add(work)
    work.finally(() => {
      connection.requests--
      inFlight.delete(work)
    })
  }
  const server = createServer({ maxHeaderSize: 10_240 }) // API Gateway's limit.
  // A client that closes its side after a request still expects the response (RFC 9112, section 6.3).
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('request', listener).on('checkExpectation', listener)
  const stop: Stop = async (limitMs) => {
    server.close()
    // When a client disconnects, its request still runs and needs the database.
    await Promise.race([Promise.all(inFlight), pause(limitMs, undefined, { ref: false })])
    // `close` leaves connections that never carried a request, which browsers open in advance.
    server.closeAllConnections()
  }
  return { server, stop }
}

/** How many requests a client may send on a connection before it reads the first response. */
const MAX_PIPELINED = 100

const respond = async (
  setup: Setup,
  message: IncomingMessage,
  response: ServerResponse,
  isListening: () => boolean,
): Promise<void> => {
  if (message.socket.destroyed) return
  const requestId = newRequestId()
  const startedAt = performance.now()
  const result = await resultOf(setup, message, requestId).catch((error) => {
    if (error instanceof ApiError) return gatewayResponse(requestId, error)
    console.error('Request %s failed:', requestId, error)
    return gatewayResponse(requestId, gatewayResponses.badGateway)
  })
  logResponse(message, { requestId, milliseconds: performance.now() - startedAt }, result)
  response.statusCode = result.statusCode
  response.setHeaders(new Map(Object.entries(result.headers ?? {})))
  // After a request to upgrade the protocol, Node.js ignores what follows on the connection.
  if (!isListening() || message.headers.upgrade) response.setHeader('Connection', 'close')
  response.end(result.body)
  await finished(response).catch(() => {}) // The client has disconnected.
}

const routeOf = routesOf(contract)

const resultOf = async (
  { handlers, timeoutMs, queue }: Setup,
  message: IncomingMessage,
  requestId: string,
): Promise<ProxyResponse> => {
  // The whole body comes first: a client may not read the response while it is still sending.
  const body = await readBody(message)
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

/**
 * Logs the response to a request on one line, without colours if NO_COLOR is set or the log is not a terminal. It has the
 * error code, but nothing else of the headers and bodies.
 */
const logResponse = (
  { method = '', url = '' }: IncomingMessage,
  { requestId, milliseconds }: { requestId: string; milliseconds: number },
  { statusCode, body = '' }: ProxyResponse,
): void => {
  // Somebody may have pasted the API key into the path. A percent-encoded key is hard to recognise, so any long part is
  // cut; no valid path has one.
  const path = url
    .replace(/\?.*/s, '')
    .replaceAll(KEY, '$1…')
    .replaceAll(/[^/]{40,}/g, '…')
  const code = statusCode >= 400 ? /^\{"code":"(\w+)"/.exec(body)?.[1] : ''
  // 13:20:51  GET      /v1/pets/373212905455903    404     3 ms  not_found               WtooPXbkRGDu1bY=
  const columns = [
    new Date().toTimeString().slice(0, 8),
    method.padEnd(7),
    path.padEnd(26),
    styleText(COLOURS[Math.floor(statusCode / 100)] ?? 'red', String(statusCode)),
    `${Math.round(milliseconds)} ms`.padStart(7),
    code?.padEnd(22),
    styleText('dim', requestId),
  ]
  console.info(columns.join('  '))
}

const KEY = new RegExp(`(${service.keyIssuer}_[a-z]+_)\\w+`, 'g')
const COLOURS: Partial<Record<number, 'green' | 'cyan' | 'yellow'>> = { 2: 'green', 3: 'cyan', 4: 'yellow' }

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
