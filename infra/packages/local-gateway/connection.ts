import { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { finished } from 'node:stream/promises'
import type { GatewayResponse } from './types.ts'

type Respond = (message: IncomingMessage, response: ServerResponse) => Promise<void>

/** The connection of a client. */
export class Connection {
  readonly #socket: Socket
  readonly #maxRequests: number
  readonly #respond: Respond
  #inFlight = 0
  /** The end of the request that came last. */
  #last: Promise<void> = Promise.resolve()

  /** At most `maxRequests` may be in flight. */
  constructor(socket: Socket, maxRequests: number, respond: Respond) {
    this.#socket = socket
    this.#maxRequests = maxRequests
    this.#respond = respond
  }

  /**
   * Responds to a request when the client has read the responses before it, so that at most one
   * response is in memory. Disconnects a client with too many requests in flight.
   */
  async serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#inFlight === this.#maxRequests) return void this.#socket.destroy()
    this.#inFlight++
    this.#last = this.#last.then(() => this.#serveNow(message, response))
    await this.#last
    this.#inFlight--
  }

  async #serveNow(message: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#socket.destroyed) return
    await this.#respond(message, response)
    // If the client disconnects, they may never settle: then its other requests are dropped.
    await Promise.allSettled([finished(response), finished(message)])
  }

  /** Ends the connection: with `last` as a response, unless a request is in flight. */
  close(last: GatewayResponse): void {
    if (!this.#socket.writable || this.#inFlight > 0) return void this.#socket.destroy()
    const response = new ServerResponse(new IncomingMessage(this.#socket))
    response.assignSocket(this.#socket)
    response.on('finish', () => this.#socket.destroy())
    writeResponse(response, last)
  }
}

/** Writes a response to its end. */
export const writeResponse = (
  response: ServerResponse,
  { statusCode, headers = {}, body }: GatewayResponse,
): void => {
  response.statusCode = statusCode
  response.setHeaders(new Map(Object.entries(headers)))
  // Node.js sends no body to a HEAD, and would not tell its length.
  if (body) response.setHeader('Content-Length', Buffer.byteLength(body))
  response.end(body)
}
