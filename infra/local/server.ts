import { createServer, type IncomingMessage, Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { OperationId } from '../../shared/contract.ts'
import { ApiError } from '../../shared/model/api-error.ts'
import { gatewayResponses } from '../gateway.ts'
import {
  answerFromDocuments,
  documentPaths,
  gatewayResponse,
  type Logged,
  newRequestId,
  preflightResponse,
} from './gateway-responses.ts'
import { type Handler, invoke, type ProxyResponse } from './lambda.ts'
import { refuseMalformed } from './malformed.ts'
import { proxyEvent, readBody, readTarget } from './proxy-event.ts'
import { methodsOf, routeOf } from './routes.ts'

/** The functions of the API by operation, and how long each may take. */
export type Functions = { handlers: Record<OperationId, Handler>; timeoutMs: number }

/** For how long, in milliseconds, a client may send a request, or take nothing of an answer; how often that is checked. */
export type Patience = { requestMs: number; silenceMs: number; checkMs: number }

const PATIENCE = { requestMs: 30_000, silenceMs: 30_000, checkMs: 5_000 }

/** The HTTP front of the local API: it does for the functions what API Gateway does in AWS. */
export const createLocalServer = (
  functions: Functions,
  { requestMs, silenceMs, checkMs }: Patience = PATIENCE,
): Server => {
  // In AWS, each function that runs has a process and a database connection of its own. Here hundreds at once would wait
  // for one another so long that they took the database for slow.
  const inTurn = { ...functions, silenceMs, turn: atMost(16) }
  const server = createServer({
    maxHeaderSize: 10_240, // API Gateway's limit.
    requestTimeout: requestMs, // A request that never ends must not keep the server from stopping.
    connectionsCheckingInterval: checkMs,
    requireHostHeader: false, // Node.js would answer without the Error body; readTarget does.
  })
  const listener = (message: IncomingMessage, response: ServerResponse) =>
    trackWork(server, answer(inTurn, message, response))
  // A client that ends its side behind a request still waits for the answer (RFC 9112, section 6.3).
  Object.assign(server, { httpAllowHalfOpen: true })
  return trackConnections(refuseMalformed(server.on('request', listener).on('checkExpectation', listener)))
}

type InTurn = Functions & { silenceMs: number; turn: ReturnType<typeof atMost> }

const answer = async (functions: InTurn, message: IncomingMessage, response: ServerResponse): Promise<void> => {
  const request = { requestId: newRequestId(), method: message.method, path: pathForLog(message) }
  const result = await resultOf(functions, message, request).catch((error) => {
    if (error instanceof ApiError) return gatewayResponse(request, error)
    console.error('Request %s failed:', request.requestId, error)
    return gatewayResponse(request, gatewayResponses.badGateway)
  })
  response.statusCode = result.statusCode
  response.setHeaders(new Map(Object.entries(result.headers ?? {})))
  // `server.close()` ends the connections that are idle then, not those that become idle later. And behind a request that
  // asks for another protocol, Node.js overlooks what is malformed.
  if (!listensStill(message) || message.headers.upgrade) response.setHeader('Connection', 'close')
  response.setTimeout(functions.silenceMs).end(result.body)
}

const resultOf = async (
  { handlers, timeoutMs, turn }: InTurn,
  message: IncomingMessage,
  request: Logged,
): Promise<ProxyResponse> => {
  // First of all: a client that is still sending does not see an answer.
  const body = await readBody(message)
  const { path, query } = readTarget(message)
  const route = routeOf(path)
  if (!route) throw gatewayResponses.notFound
  if (documentPaths.includes(route.resource)) return answerFromDocuments(request, route.resource)
  if (message.method === 'OPTIONS') return preflightResponse(request, methodsOf(route))
  const id = route.operations[message.method ?? '']
  if (!id) throw gatewayResponses.methodNotAllowed(methodsOf(route))
  const event = proxyEvent({ message, path, query, body, requestId: request.requestId }, route)
  return turn(() => invoke(id, handlers[id], event, timeoutMs))
}

// An API key that was pasted into the address must not get into the log. Percent-encoding makes one longer in ways that
// are hard to recognise, but nothing that leads anywhere has a part so long.
const pathForLog = ({ url = '' }: IncomingMessage): string =>
  (url.split('?')[0] ?? '').replaceAll(/(pet_[a-z]+_)\w+/g, '$1…').replaceAll(/[^/]{40,}/g, '…')

const listensStill = ({ socket }: IncomingMessage): boolean =>
  'server' in socket && socket.server instanceof Server && socket.server.listening

/** Lets at most so many pieces of work go on at once. The others wait, and go on in the order in which they came. */
export const atMost = (limit: number) => {
  let running = 0
  const waiting: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < limit) running++
    else await new Promise<void>((goOn) => waiting.push(goOn))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

type Busy = { connections: Set<Socket>; work: Set<Promise<void>> }

const servers = new WeakMap<Server, Busy>()

/** Lets `stopServer` know a server's connections. */
export const trackConnections = (server: Server): Server => {
  const { connections } = busyOf(server)
  return server.on('connection', (socket) => connections.add(socket.on('close', () => connections.delete(socket))))
}

/** Lets it know what a server does for a request. */
export const trackWork = (server: Server, work: Promise<void>): void => {
  const { work: underWay } = busyOf(server)
  underWay.add(work)
  work.finally(() => underWay.delete(work))
}

/** Ends a server: no new requests, those in flight are answered, none waits longer than `mostMs`. */
export const stopServer = async (server: Server, mostMs: number): Promise<void> => {
  const { connections, work } = busyOf(server)
  const tooLong = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    server.closeAllConnections()
    tooLong.resolve()
  }, mostMs)
  const closed = new Promise((resolve) => server.close(resolve))
  // `close` ends idle connections, but not those that nothing was sent on yet, as browsers hold them ready.
  for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  await closed
  // A client that has left ends its connection, but not what is done for it, which still needs the database.
  await Promise.race([Promise.all(work), tooLong.promise])
  clearTimeout(timer)
}

const busyOf = (server: Server): Busy => {
  const busy = servers.get(server) ?? { connections: new Set(), work: new Set() }
  servers.set(server, busy)
  return busy
}
