import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { finished } from 'node:stream/promises'
import type { APIGatewayProxyResult } from 'aws-lambda'
import { eventReader } from './proxy-event.ts'
import type { GatewayErrors, GatewayOptions } from './types.ts'

/**
 * Creates an HTTP server that passes requests to functions as API Gateway does, and logs them. It
 * does not listen yet. `stop` completes the requests that have arrived, and closes all connections.
 */
export const createGateway = (options: GatewayOptions) => {
  const serveRequest = requestServer(options)
  const inFlight = new Map<IncomingMessage, Promise<void>>()
  const serve = (message: IncomingMessage, response: ServerResponse): void => {
    const served = serveRequest(message, response).finally(() => inFlight.delete(message))
    inFlight.set(message, served)
  }
  // Node.js itself would respond to a request without Host, without a body.
  const server = createServer({ maxHeaderSize: 10_240, requireHostHeader: false }, serve)
  // Likewise to one with an unknown expectation.
  server.on('checkExpectation', serve)
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Socket) => {
    const waits = (message: IncomingMessage) => message.socket === socket && message.complete
    if ([...inFlight.keys()].some(waits)) socket.destroy()
    else refuse(socket, options.errorResponse(clientError(code, options.errors), newRequestId()))
  })
  const stop = async (): Promise<void> => {
    server.close()
    for (const message of inFlight.keys()) if (!message.complete) message.destroy()
    // When a client disconnects, its request still runs and needs the database.
    await Promise.all(inFlight.values())
    server.closeAllConnections()
  }
  return { server, stop }
}

/** Returns a function that serves requests. It resolves when the response is sent, or cannot be. */
const requestServer = (options: GatewayOptions) => {
  const readEvent = eventReader(options)
  return async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const startedAt = performance.now()
    const id = newRequestId()
    try {
      send(response, await options.invoke(await readEvent(message, id)))
    } catch (error) {
      if (!message.complete) return // The client has disconnected.
      send(response, options.errorResponse(error, id))
    }
    log(message, response.statusCode, startedAt, id)
    await finished(response).catch(() => {})
  }
}

/** Throws if a header cannot be sent. */
const send = (response: ServerResponse, { statusCode, headers, body }: APIGatewayProxyResult) => {
  // Node.js sends no body to a HEAD, and would not tell its length.
  const length = body !== '' && { 'Content-Length': Buffer.byteLength(body) }
  response.writeHead(statusCode, { ...headers, ...length }).end(body)
}

/** The error of a request that Node.js cannot read, by Node.js's code. */
const clientError = (code: string, errors: GatewayErrors): Error => {
  if (code === 'HPE_HEADER_OVERFLOW') return errors.headersTooLarge
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return errors.requestTimeout
  return code === 'HPE_INVALID_METHOD' ? errors.unknownMethod : errors.badRequest
}

/** Sends the last response of a connection, to a request that Node.js cannot read. */
const refuse = (socket: Socket, { statusCode, headers, body }: APIGatewayProxyResult): void => {
  if (!socket.writable) return
  const lines = Object.entries({ ...headers, Connection: 'close' }).map((line) => line.join(': '))
  const start = `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`
  socket.write([start, ...lines, '', body].join('\r\n'))
  socket.destroySoon()
}

/** Logs a response on one line. */
const log = (message: IncomingMessage, status: number, startedAt: number, id: string): void => {
  const time = new Date().toTimeString().slice(0, 8)
  const method = `${message.method}`.padEnd(7)
  const path = `${message.url}`.replace(/\?.*/s, '').padEnd(26)
  const duration = `${Math.round(performance.now() - startedAt)} ms`.padStart(7)
  console.info([time, method, path, status, duration, id].join('  '))
}

/** Creates a request id in the format of API Gateway's extended request ids. */
const newRequestId = (): string => `${randomBytes(11).toString('base64url')}=`
