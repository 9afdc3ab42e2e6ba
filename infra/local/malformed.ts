import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiError } from '../../shared/model/api-error.ts'
import { gatewayAnswers } from '../gateway-answers.ts'
import { gatewayResponse, newRequestId } from './gateway-response.ts'

/** Makes a server answer what is no HTTP, and so no request that it could hand on, with the Error body as well. */
export const refuseMalformed = (server: Server): Server => {
  const lastOn = new WeakMap<Duplex, { message: IncomingMessage; response: ServerResponse }>()
  return server
    .on('request', (message, response) => lastOn.set(message.socket, { message, response }))
    .on('connect', (_message, socket) => refuse(socket, gatewayAnswers.badRequest))
    .on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const last = lastOn.get(socket)
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
      // A whole request is still being answered: two answers on one connection must not be mixed up.
      else if (last?.message.complete && !last.response.writableFinished)
        last.response.on('close', () => socket.destroy())
      else refuse(socket, byCode[error.code ?? ''] ?? gatewayAnswers.badRequest)
    })
}

const byCode: Record<string, ApiError> = {
  HPE_HEADER_OVERFLOW: gatewayAnswers.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: gatewayAnswers.requestTimeout,
}

const refuse = (socket: Duplex, answer: ApiError): void => {
  const { statusCode, headers, body = '' } = gatewayResponse({ requestId: newRequestId() }, answer)
  const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' })
  const head = [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
