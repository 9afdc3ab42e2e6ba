import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiError } from '../../../shared/model/api-error.ts'
import { gatewayResponses } from '../../gateway.ts'
import type { ProxyResponse } from './lambda.ts'
import type { Limits } from './limits.ts'
import { readBody } from './proxy-event.ts'

/** Makes the response to a request. `body` is rejected with an ApiError if the request is invalid or does not arrive in time. */
type Respond = (message: IncomingMessage, body: Promise<Buffer>) => Promise<ProxyResponse>

/** The last request of a connection with requests in flight. `fail` responds with an error if it is incomplete. */
type Last = { message: IncomingMessage; fail: (error: ApiError) => void; work: Promise<void> }

/**
 * Creates an HTTP server that responds to the requests of a connection one after the other, so that nobody can occupy it with
 * one, and ends connections that exceed the limits. What is not valid HTTP gets an error response, after the responses to the
 * requests before it.
 */
export const createOrderlyServer = (limits: Limits, respond: Respond) => {
  const inFlight = new Map<Duplex, Last>()
  const headerTimers = new WeakMap<Duplex, NodeJS.Timeout>()
  const { headerBytes: maxHeaderSize, idleMs: keepAliveTimeout } = limits
  // Node.js's time limit would include the time in which a request waits for others. Without Host, a request gets our 400.
  const server = createServer({ maxHeaderSize, keepAliveTimeout, requestTimeout: 0, requireHostHeader: false })

  const serve = async (message: IncomingMessage, response: ServerResponse, failure: PromiseWithResolvers<never>) => {
    const { socket } = message
    if (!socket.writable) return
    if (!response.socket) response.assignSocket(socket) // Node.js does so for the requests that it parses.
    socket.setTimeout(0) // The time limit for the previous response: this one may wait.
    const timer = setTimeout(failure.reject, limits.bodyMs, gatewayResponses.requestTimeout)
    const body = Promise.race([readBody(message, limits.bodyBytes), failure.promise]).finally(() => clearTimeout(timer))
    const result = await respond(message, body)
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
    const work = Promise.resolve(inFlight.get(socket)?.work)
      .then(() => serve(message, response, failure))
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
