import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiError } from '../../shared/model/api-error.ts'
import { gatewayResponses } from '../gateway.ts'
import { gatewayResponse, newRequestId } from './gateway-responses.ts'
import { logResponse } from './request-log.ts'

/**
 * Makes a server respond with the error body to requests that Node.js cannot parse, and then close the connection: what
 * follows could be a smuggled request.
 */
export const refuseMalformed = (server: Server): void => {
  const lastOn = new WeakMap<Duplex, Exchange>()
  const refused = new WeakSet<Duplex>()
  const remember = (message: IncomingMessage, response: ServerResponse) => {
    lastOn.set(message.socket, { message: message.on('error', () => {}), response })
  }
  server
    .on('request', remember)
    .on('checkExpectation', remember)
    .on('connect', (_message, socket) => refuse(socket, gatewayResponses.badRequest, lastOn.get(socket)))
    .on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (refused.has(socket)) return // After the first error, Node.js reports whatever else arrives.
      refused.add(socket)
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
      else refuse(socket, byCode[error.code ?? ''] ?? gatewayResponses.badRequest, lastOn.get(socket))
    })
}

type Exchange = { message: IncomingMessage; response: ServerResponse }

const byCode: Record<string, ApiError> = {
  HPE_HEADER_OVERFLOW: gatewayResponses.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: gatewayResponses.requestTimeout,
}

const refuse = (socket: Duplex, error: ApiError, last: Exchange | undefined): void => {
  if (!last || last.response.writableFinished) end(socket, rawResponse(error))
  else {
    // The last request still gets its own response, and no other may come between. If its body is malformed, `readBody`
    // throws this error.
    if (!last.message.complete) last.message.emit('error', error)
    endAfter(last.response, socket)
  }
}

const endAfter = (response: ServerResponse, socket: Duplex): void => {
  if (response.headersSent) response.on('close', () => end(socket))
  else {
    response.setHeader('Connection', 'close')
    // Node.js calls this to close the connection, and would do so with data unread.
    Object.assign(socket, { destroySoon: () => end(socket) })
  }
}

const rawResponse = (error: ApiError): string => {
  const requestId = newRequestId()
  const response = gatewayResponse(requestId, error)
  logResponse({ requestId, startedAt: performance.now() }, response)
  const { statusCode, headers, body = '' } = response
  const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' })
  const head = [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

const LINGER_MS = 1000

// Reads on for a moment, because TCP resets a connection that is closed with data unread (RFC 9112, section 9.6).
const end = (socket: Duplex, response = ''): void => {
  socket.on('error', () => {}).end(response)
  socket.resume()
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
