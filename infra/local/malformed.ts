import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiError } from '../../shared/model/api-error.ts'
import { gatewayResponses } from '../gateway.ts'
import { gatewayResponse, newRequestId } from './gateway-responses.ts'

/** Makes a server answer what is no HTTP, and so no request that it could hand on, with the Error body as well. */
export const refuseMalformed = (server: Server): Server => {
  const lastOn = new WeakMap<Duplex, Exchange>()
  const refused = new WeakSet<Duplex>()
  const remember = (message: IncomingMessage, response: ServerResponse) => {
    lastOn.set(message.socket, { message: message.on('error', () => {}), response })
  }
  return server
    .on('request', remember)
    .on('checkExpectation', remember)
    .on('connect', (_message, socket) => refuse(socket, gatewayResponses.badRequest, lastOn.get(socket)))
    .on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (refused.has(socket)) return // Node.js finds all that comes after an error wrong, too.
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
  if (!last || last.response.writableFinished) end(socket, answerTo(error))
  else {
    // The last request is about to get its one answer: two on one connection must not be mixed up. Where its body is what
    // is wrong, `readBody` throws this.
    if (!last.message.complete) last.message.emit('error', error)
    endAfter(last.response, socket)
  }
}

const endAfter = (response: ServerResponse, socket: Duplex): void => {
  if (response.headersSent) response.on('close', () => end(socket))
  else {
    response.setHeader('Connection', 'close')
    // How Node.js then ends the connection: with something unread.
    Object.assign(socket, { destroySoon: () => end(socket) })
  }
}

const answerTo = (error: ApiError): string => {
  const { statusCode, headers, body = '' } = gatewayResponse({ requestId: newRequestId() }, error)
  const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' })
  const head = [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

const LINGER_MS = 1000

/** Ends a connection. What still comes is read for a moment: TCP resets one that is closed with something unread. */
const end = (socket: Duplex, answer = ''): void => {
  socket.on('error', () => {}).end(answer)
  socket.resume()
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
