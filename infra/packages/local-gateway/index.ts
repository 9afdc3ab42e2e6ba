import { randomBytes } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import { finished } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { errorResponse, type Respond, responder } from './responses.ts'
import type { ErrorResponse, GatewayOptions, GatewayResponse } from './types.ts'

export type { ErrorResponse, GatewayOptions, GatewayResponse, ProxyEvent, Route } from './types.ts'

export type Gateway = {
  /** A server that does not listen yet. */
  server: Server
  /** Completes the requests that have arrived, within `limitMs`, and closes all connections. */
  stop: (limitMs: number) => Promise<void>
}

const MAX_HEADER_BYTES = 10_240 // As in API Gateway.

/** Creates an HTTP server that passes requests to functions as API Gateway does, and logs them. */
export const createGateway = (options: GatewayOptions): Gateway => {
  const respond = responder(options)
  // Node.js itself would respond to a request without Host, without a body.
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false })
  const inFlight = new Map<IncomingMessage, Promise<void>>()
  const serve = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const served = serveRequest(message, response, respond, options)
    inFlight.set(message, served)
    await served
    inFlight.delete(message)
  }
  // Likewise to one with an unknown expectation.
  server.on('request', serve).on('checkExpectation', serve)
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Socket) => {
    const waits = (message: IncomingMessage) => message.socket === socket && message.complete
    if ([...inFlight.keys()].some(waits)) socket.destroy()
    else refuse(socket, errorResponse(options, newRequestId(), clientError(options, code)))
  })
  const stop = async (limitMs: number): Promise<void> => {
    server.close()
    for (const message of inFlight.keys()) if (!message.complete) message.destroy()
    // When a client disconnects, its request still runs and needs the database.
    const ended = Promise.all(inFlight.values())
    await Promise.race([ended, pause(limitMs, undefined, { ref: false })])
    server.closeAllConnections()
  }
  return { server, stop }
}

/** Responds to a request. Resolves when the client has the response, or has disconnected. */
const serveRequest = async (
  message: IncomingMessage,
  response: ServerResponse,
  respond: Respond,
  options: GatewayOptions,
): Promise<void> => {
  const startedAt = performance.now()
  const id = newRequestId()
  /** Throws if a header cannot be sent. */
  const send = (result: GatewayResponse) => {
    const { statusCode, headers, body = '' } = result
    // Node.js sends no body to a HEAD, and would not tell its length.
    const length = body !== '' && { 'Content-Length': Buffer.byteLength(body) }
    response.writeHead(statusCode, { ...headers, ...length }).end(body)
    log(message, result, id, performance.now() - startedAt)
  }
  try {
    send(await respond(message, id))
  } catch (error) {
    if (!message.complete) return // The client has disconnected.
    send(errorResponse(options, id, options.errors.invocation(error)))
  }
  await finished(response).catch(() => {})
}

/** The error of a request that Node.js cannot read, by Node.js's code. */
const clientError = ({ errors }: GatewayOptions, code: string): ErrorResponse => {
  if (code === 'HPE_HEADER_OVERFLOW') return errors.headersTooLarge(MAX_HEADER_BYTES)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return errors.requestTimeout
  return code === 'HPE_INVALID_METHOD' ? errors.unknownMethod : errors.badRequest
}

/** Sends the last response of a connection, to a request that Node.js cannot read. */
const refuse = (socket: Socket, { statusCode, headers, body = '' }: GatewayResponse): void => {
  if (!socket.writable) return
  const own = { 'Content-Length': Buffer.byteLength(body), Connection: 'close' }
  const lines = Object.entries({ ...headers, ...own }).map(([name, value]) => `${name}: ${value}`)
  const start = `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`
  socket.end([start, ...lines, '', body].join('\r\n'))
  socket.destroySoon()
}

/** Logs a response on one line; of an error, also the `code` that its body starts with. */
const log = (
  { method = '', url = '' }: IncomingMessage,
  { statusCode, body }: GatewayResponse,
  id: string,
  milliseconds: number,
): void => {
  const [, code = ''] = (statusCode >= 400 && /^\{"code":"(\w+)"/.exec(`${body}`)) || []
  const time = new Date().toTimeString().slice(0, 8)
  const path = url.replace(/\?.*/s, '').padEnd(26)
  const duration = `${Math.round(milliseconds)} ms`.padStart(7)
  console.info([time, method.padEnd(7), path, statusCode, duration, code.padEnd(22), id].join('  '))
}

/** Creates a request id in the format of API Gateway's extended request ids. */
const newRequestId = (): string => `${randomBytes(11).toString('base64url')}=`
