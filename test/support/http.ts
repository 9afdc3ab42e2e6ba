import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { refuseInternals } from './secrets.ts'

/** A request as it goes over the wire: nothing is normalized, and a header may be repeated. */
export type Sent = {
  method?: string
  /** Appended to the base address unchanged. */
  path?: string
  headers?: Record<string, string | string[]>
  body?: string | Buffer
}

/** A response: header names are in lower case, and `body` is `text` parsed if it is JSON. */
export type Received = {
  status: number
  headers: Record<string, string>
  text: string
  body: unknown
}

/** What a retry with the same key gets: the same, as a replay. */
export const replayOf = ({ status, text, headers: { etag, location } }: Received) => ({
  status,
  text,
  headers: expect.objectContaining({
    ...(etag && { etag }),
    ...(location && { location }),
    'idempotent-replayed': 'true',
  }),
})

/** Sends a request to a base address. */
export const send = async (
  baseUrl: string,
  { method = 'GET', path = '', headers = {}, body: sent }: Sent,
): Promise<Received> => {
  const { protocol, pathname } = new URL(baseUrl)
  const target = pathname.replace(/\/$/, '') + path // `URL` gives a bare origin the path `/`.
  // For methods such as DELETE, Node.js would send a body without its length, and so as a second
  // request.
  const isFramed = sent === undefined || 'Transfer-Encoding' in headers
  const length = !isFramed && { 'Content-Length': Buffer.byteLength(sent) }
  const options = { path: target, method, headers: { ...headers, ...length } }
  const request = protocol === 'https:' ? requestHttps : requestHttp
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(baseUrl, options, resolve).on('error', reject).end(sent)
  })
  const body = await text(response)
  const lines = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
  const received = {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(lines),
    text: body,
  }
  const type = response.headers['content-type'] ?? 'application/json'
  // The script of the reference page is public and contains words that look like secrets.
  if (!type.startsWith('text/javascript')) refuseInternals(received)
  if (body === '') return { ...received, body: undefined }
  return { ...received, body: type === 'application/json' ? JSON.parse(body) : body }
}

/**
 * Sends a request, and retries it after a 429 or 503 when the response says, as clients are told
 * to: a deployment throttles, and on a busy machine the database can exceed its time limit. A 503
 * at each of ten attempts has another cause.
 */
export const sendUntilServed = (
  baseUrl: string,
  request: Sent,
  attempts = 10,
): Promise<Received> => {
  const pauseAfter = ({ headers }: Received) => Number(headers['retry-after']) * 1000
  return untilServed(() => send(baseUrl, request), pauseAfter, attempts)
}

/**
 * Repeats a request while it gets a 429 or 503, after a pause of so many milliseconds. Returns the
 * last response.
 */
export const untilServed = async <Response extends { status: number }>(
  request: () => Promise<Response>,
  pauseAfter: (response: Response) => number,
  attempts: number,
): Promise<Response> => {
  for (let attempt = 1; ; attempt++) {
    const response = await request()
    if (![429, 503].includes(response.status) || attempt === attempts) return response
    await pause(pauseAfter(response))
  }
}
