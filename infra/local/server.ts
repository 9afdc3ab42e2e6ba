import { once } from 'node:events'
import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createListener, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { OperationId } from '../../shared/contract.ts'
import type { ApiError } from '../../shared/model/api-error.ts'
import { CommandError } from '../commands/command-line.ts'
import { gatewayResponses } from '../gateway.ts'
import { newRequestId, responseTo } from './api-gateway.ts'
import { type Handler, invoke, type ProxyResponse } from './lambda.ts'
import { type Limits, localLimits } from './limits.ts'
import { readBody } from './proxy-event.ts'

export const LOOPBACK = '127.0.0.1'

/**
 * Creates the HTTP server of the local API from the functions by operation. What is not valid HTTP gets the API's error body,
 * too, and ends the connection.
 */
export const createLocalServer = (handlers: Record<OperationId, Handler>, limits: Limits = localLimits) => {
  const queue = atMost(limits.functions)
  /** The last request of each connection with requests in flight. `fail` responds to it with an error if it is incomplete. */
  const inFlight = new Map<Duplex, { message: IncomingMessage; fail: (error: ApiError) => void; work: Promise<void> }>()
  const headerTimers = new WeakMap<Duplex, NodeJS.Timeout>()
  const respond = async (message: IncomingMessage, response: ServerResponse, failure: PromiseWithResolvers<never>) => {
    const { socket } = message
    if (!socket.writable) return
    if (!response.socket) response.assignSocket(socket) // Node.js does so for the requests that it parses.
    socket.setTimeout(0) // The time limit for the previous response: this one may wait.
    const requestId = newRequestId()
    const startedAt = performance.now()
    const timer = setTimeout(failure.reject, limits.bodyMs, gatewayResponses.requestTimeout)
    const body = Promise.race([readBody(message, limits.bodyBytes), failure.promise]).finally(() => clearTimeout(timer))
    const result = await responseTo(message, body, requestId, (id, event) =>
      queue(() => invoke(id, handlers[id], event, limits.functionMs)),
    )
    if (message.method) logResponse(message, result, requestId, performance.now() - startedAt) // Else, it is no request.
    response.statusCode = result.statusCode
    response.setHeaders(new Map(Object.entries(result.headers ?? {})))
    // After a request to upgrade the protocol, Node.js ignores what follows on the connection.
    if (!server.listening || !message.complete || message.headers.upgrade) response.setHeader('Connection', 'close')
    response.end(result.body)
    socket.pause().setTimeout(limits.readMs) // What the client sends must not extend the time.
    if (!message.complete) socket.destroySoon()
    await finished(response).catch(() => {}) // The client has disconnected.
  }
  const listener = (message: IncomingMessage, response: ServerResponse): void => {
    const { socket } = message
    const failure = Promise.withResolvers<never>()
    failure.promise.catch(() => {}) // Until it is the turn of the request, nothing waits for it.
    // A client may send any number of requests before it reads a response: read no more of them until all are answered.
    // This must follow the parser, which resumes the socket after each request.
    if (inFlight.has(socket)) queueMicrotask(() => socket.pause())
    // The requests of a connection are served one after the other, so that nobody can occupy the server with one.
    const work = Promise.resolve(inFlight.get(socket)?.work)
      .then(() => respond(message, response, failure))
      .finally(() => {
        if (inFlight.get(socket)?.work !== work) return
        inFlight.delete(socket)
        headerTimers.get(socket)?.refresh()
        socket.resume()
      })
    inFlight.set(socket, { message, fail: failure.reject, work })
  }
  /** Responds with an error, after the responses to complete requests, and ends the connection. */
  const refuse = (socket: Duplex, error: ApiError): void => {
    if (inFlight.get(socket)?.message.complete !== false) {
      const message = new IncomingMessage(socket as Socket) // Node.js types it as a stream.
      listener(message, new ServerResponse(message))
    }
    inFlight.get(socket)?.fail(error)
  }
  const { headerBytes: maxHeaderSize, idleMs: keepAliveTimeout } = limits
  // Node.js's time limit would include the time in which a request waits for others. Without Host, a request gets our 400.
  const server = createServer({ maxHeaderSize, keepAliveTimeout, requestTimeout: 0, requireHostHeader: false })
  // A client that closes its side after a request still expects the response (RFC 9112, section 6.3).
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('request', listener).on('checkExpectation', listener)
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    const { headersTooLarge, badRequest } = gatewayResponses
    refuse(socket, code === 'HPE_HEADER_OVERFLOW' ? headersTooLarge(limits.headerBytes) : badRequest)
  })
  server.on('connect', (_message, socket) => {
    // After CONNECT, Node.js handles no more errors, and what the client sends extends the time to read.
    socket.on('error', () => {})
    setTimeout(() => socket.destroy(), limits.headersMs).unref()
    refuse(socket, gatewayResponses.notFound)
  })
  server.on('connection', (socket) => {
    const timer = setTimeout(() => {
      if (!inFlight.has(socket)) refuse(socket, gatewayResponses.requestTimeout)
    }, limits.headersMs)
    headerTimers.set(socket, timer)
    socket.on('close', () => clearTimeout(timer))
  })
  /** Refuses new connections and completes the requests in flight, but waits no longer than `limitMs`. */
  const stop = async (limitMs: number): Promise<void> => {
    server.close()
    // When a client disconnects, its request still runs and needs the database.
    const work = Array.from(inFlight.values(), ({ work }) => work)
    await Promise.race([Promise.all(work), pause(limitMs, undefined, { ref: false })])
    // `close` leaves connections that never carried a request, which browsers open in advance.
    server.closeAllConnections()
  }
  return { server, stop }
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

/**
 * Listens on a port, and for an embedded database on the next one of this machine. Port 0 selects free ports. This comes
 * before anything else, so that nobody takes a port meanwhile. Connections are closed until the servers take over.
 */
export const reserve = async (port: number, host: string): Promise<[api: Server, database?: Server]> => {
  const api = await listen(port, host)
  if (process.env.AWS_ENDPOINT_URL_DYNAMODB) return [api]
  try {
    return [api, await listen(addressOf(api).port + 1, LOOPBACK)]
  } catch (error) {
    api.close()
    if (port !== 0) throw error
    return reserve(port, host)
  }
}

const listen = async (port: number, host: string): Promise<Server> => {
  const server = createListener((socket) => socket.destroy())
  try {
    await once(server.listen(port, host), 'listening')
  } catch (error) {
    const { code, message } = Object(error)
    const inUse = `${host}:${port} is in use, perhaps by another local server: it takes two ports, the second for its database`
    const problem = code === 'EADDRINUSE' ? inUse : `Cannot listen: ${message}`
    throw new CommandError(`${problem}. Choose another --host or --port; port 0 selects free ports.`)
  }
  return server
}

// A server on a TCP port has no other type of address.
export const addressOf = (server: Server): AddressInfo => server.address() as AddressInfo
