import http, { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'

/** Milliseconds: for the connection, for the start of the response, for each pause within it. */
export type TimeLimits = {
  connectionTimeout: number
  requestTimeout: number
  socketTimeout: number
}

/** A whole response. */
export type HttpResponse = { statusCode: number; headers: IncomingHttpHeaders; text: string }

/**
 * Creates a function that sends a POST to one URL, over up to 50 connections, as the SDK does. It
 * rejects with an error that has a `code` of Node.js, or the name `TimeoutError` or `AbortError`.
 */
export const postTo = (url: URL, limits: TimeLimits) => {
  // Node.js tests each host with an expression that V8 compiles for its interpreter (3 ms) and then
  // to machine code (1 ms). For a text of 1,000 characters, it does the latter at once.
  isIP('-'.repeat(1000))
  const { request, Agent } = url.protocol === 'https:' ? https : http
  const agent = new Agent({ keepAlive: true, maxSockets: 50 })
  return (
    headers: Record<string, string>,
    body: string,
    signal?: AbortSignal,
  ): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method: 'POST', agent, headers, ...(signal && { signal }) })
      limitTime(sent, limits, (message) => {
        reject(Object.assign(new Error(message), { name: 'TimeoutError' }))
        sent.destroy()
      })
      // A server may close it without a response or error, such as after "101 Switching Protocols".
      const reset = () =>
        reject(Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' }))
      sent.on('close', reset)
      sent.on('response', (response) => {
        sent.off('close', reset)
        readResponse(response).then(resolve, reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })
}

/** Calls `end` when a step of a request takes longer than its limit. */
const limitTime = (
  sent: ClientRequest,
  limits: TimeLimits,
  end: (message: string) => void,
): void => {
  const endAfter = (milliseconds: number, what: string) =>
    setTimeout(end, milliseconds, `There was ${what} within ${milliseconds} ms.`)
  const untilResponse = endAfter(limits.requestTimeout, 'no response')
  sent.on('close', () => clearTimeout(untilResponse))
  sent.on('socket', (socket) => {
    if (!socket.connecting) return
    const untilConnection = endAfter(limits.connectionTimeout, 'no connection')
    for (const event of ['connect', 'close'])
      socket.once(event, () => clearTimeout(untilConnection))
  })
  sent.on('response', (response) => {
    clearTimeout(untilResponse)
    const untilNextPart = endAfter(limits.socketTimeout, 'no other part of the response')
    response.on('data', () => untilNextPart.refresh())
    sent.on('close', () => clearTimeout(untilNextPart))
  })
}

// DynamoDB returns 1 MB at most, which is less than 10 MB in JSON.
const LONGEST_BODY = 16_000_000

const readResponse = (response: IncomingMessage): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    const { statusCode = 0, headers } = response
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (part: string) => {
      text += part
      if (text.length > LONGEST_BODY) response.destroy(new Error('The response is too long.'))
    })
    // In the next turn of the event loop: a delayed process may read the end of the response before
    // it notices that the whole request was sent, and then would not reuse the connection.
    response.on('end', () => setImmediate(resolve, { statusCode, headers, text }))
    response.on('error', reject)
  })
