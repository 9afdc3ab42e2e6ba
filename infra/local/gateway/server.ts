import { createServer, IncomingMessage, type ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { finished } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { OperationId } from '../../../shared/contract.ts'
import type { ApiError } from '../../../shared/model/api-error.ts'
import { functionSettings } from '../../functions.ts'
import { gatewayResponses } from '../../gateway.ts'
import { atMost } from '../queue.ts'
import { gatewayErrorResponse, type Invoke, newRequestId, responseTo } from './api-gateway.ts'
import { type Handler, invoke, type ProxyResponse } from './lambda.ts'

const localLimits = {
  /** Size of the URL and headers in bytes, as in API Gateway: else 431. */
  maxHeaderSize: 10_240,
  /** Connections at once: more are closed. */
  maxConnections: 500,
  /** Size of a body in bytes, also when decompressed: else 413. */
  bodyBytes: 1024 * 1024,
  // Hundreds at once would delay each other until their database calls time out.
  /** Functions that run at once; other requests wait. */
  functions: 16,
  /** Time for a function to respond: else 504. */
  functionMs: functionSettings.timeoutSeconds * 1000,
}

/** The limits of a local server, and those of Node.js that differ from its defaults. */
export type Limits = typeof localLimits & ServerOptions

/** The last request of a connection, when those `before` it are done, and when it is `done`. */
type Last = { message: IncomingMessage; before: Promise<void>; done: Promise<void> }

/**
 * Creates the HTTP server of the local API. It responds to the requests of a connection in turn,
 * and ends a connection that exceeds a limit or sends what Node.js refuses.
 */
export const createLocalServer = (
  handlers: Record<OperationId, Handler>,
  other: Partial<Limits> = {},
) => {
  const limits = { ...localLimits, ...other }
  // Without this setting, Node.js responds to a request without Host by itself, without a body.
  const server = createServer({ ...limits, requireHostHeader: false })
  server.maxConnections = limits.maxConnections
  // A client that closes its side after a request still expects the response.
  Object.assign(server, { httpAllowHalfOpen: true })

  const inFlight = new Map<Socket, Last>()
  const queue = atMost(limits.functions)
  const invokeInTurn: Invoke = (id, event) =>
    queue(() => invoke(id, handlers[id], event, limits.functionMs))

  const serve = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (message.socket.destroyed) return
    const startedAt = performance.now()
    const requestId = newRequestId()
    const result = await responseTo(message, requestId, limits.bodyBytes, invokeInTurn)
    logResponse(message, result, requestId, performance.now() - startedAt)
    // After a request to upgrade the protocol, Node.js ignores what follows on the connection.
    if (!server.listening || message.headers.upgrade) response.setHeader('Connection', 'close')
    // Node.js then reads the rest of a body that is too large: the client gets the response.
    if (!message.complete) response.setHeader('Connection', 'keep-alive')
    writeResponse(response, result)
    // They fail if the client disconnects.
    await Promise.allSettled([finished(response), finished(message)])
  }

  /** Serves a request when those before it on its connection have their responses. */
  const listener = (message: IncomingMessage, response: ServerResponse): void => {
    const { socket } = message
    const before = inFlight.get(socket)?.done ?? Promise.resolve()
    const done = before.then(() => serve(message, response))
    const last = { message, before, done }
    inFlight.set(socket, last)
    done.finally(() => {
      if (inFlight.get(socket) === last) inFlight.delete(socket)
    })
  }

  /** Ends a connection, with an error if no response to an earlier request is awaited. */
  const refuse = async (socket: Socket, error: ApiError): Promise<void> => {
    const last = inFlight.get(socket)
    if (!last) return endWith(socket, error)
    await (last.message.complete ? last.done : last.before)
    socket.destroy()
  }

  server.on('request', listener)
  // Node.js would respond to an unknown expectation by itself, without a body.
  server.on('checkExpectation', listener)
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => {
    if (socket.writable) refuse(socket, clientError(code, limits.maxHeaderSize))
  })

  /** Refuses new connections and completes the requests in flight, within `limitMs`. */
  const stop = async (limitMs = limits.functionMs): Promise<void> => {
    server.close()
    // When a client disconnects, its request still runs and needs the database.
    const requests = Array.from(inFlight.values(), ({ done }) => done)
    await Promise.race([Promise.all(requests), pause(limitMs, undefined, { ref: false })])
    // `close` leaves those without a request, which browsers open in advance.
    server.closeAllConnections()
  }
  return { server, stop }
}

const writeResponse = (
  response: ServerResponse,
  { statusCode, headers = {}, body }: ProxyResponse,
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
  message: IncomingMessage,
  result: ProxyResponse,
  requestId: string,
  milliseconds: number,
) => {
  const { method = '', url = '' } = message
  const { statusCode, body = '' } = result
  const path = url.replace(/\?.*/s, '')
  const code = (statusCode >= 400 && /^\{"code":"(\w+)"/.exec(body)?.[1]) || ''
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
