import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import { refuseInternals } from './secrets.ts'

/** A request as it goes over the wire: nothing is normalised, and a header may be given twice. */
export type Sent = {
  method?: string
  /** Added to the base address as it is. */
  path?: string
  headers?: Record<string, string | string[]>
  body?: string | Buffer
}

/** What came back: header names in lower case, `text` the body, and `body` the JSON value of it, or the text if it is no JSON. */
export type Received = { status: number; headers: Record<string, string>; text: string; body: unknown }

/** Sends a request to a base address. */
export const send = async (
  baseUrl: string,
  { method = 'GET', path = '', headers = {}, body }: Sent,
): Promise<Received> => {
  const { protocol, hostname, port, pathname } = new URL(baseUrl)
  const target = pathname.replace(/\/$/, '') + path // Of an origin, `URL` makes the path `/`.
  const options = { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port, path: target, method, headers }
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    const request = protocol === 'https:' ? requestHttps(options, resolve) : requestHttp(options, resolve)
    request.on('error', reject).end(body)
  })
  const received = await text(response)
  const answer = {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
    text: received,
  }
  const type = response.headers['content-type'] ?? JSON_TYPE
  // A script is a public file, which speaks of all kinds of secrets.
  if (!type.startsWith('text/javascript')) refuseInternals(answer)
  return { ...answer, body: received === '' ? undefined : parsed(received, type) }
}

const JSON_TYPE = 'application/json'

const parsed = (text: string, type: string): unknown => (type === JSON_TYPE ? JSON.parse(text) : text)
