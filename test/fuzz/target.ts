import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Received, type Sent, send } from '../support/http.ts'
import { refuseInternals } from '../support/secrets.ts'
import type { LocalServer } from '../support/server.ts'
import { bytesOf } from './bodies.ts'
import { type Call, checkResponse } from './checks.ts'
import type { ClientRequest } from './requests.ts'
import type { RawRequest } from './strange-requests.ts'

/** What requests refer to: a stored pet as JSON, and a function that replaces `{id}` by its id and `{cursor}` by a cursor. */
type Stored = { pet: string; filled: (text: string) => string }

/** Stores the pets that requests refer to. */
export const prepare = async (call: Call): Promise<Stored> => {
  const headers = { 'Content-Type': 'application/json' }
  const add = (body: string) => call({ method: 'POST', path: '/pets', headers, body })
  await add('{"name":"Tom","categoryId":7}')
  const { text: pet } = await add('{"name":"Rex","categoryId":7,"status":"sold"}')
  const { link = '' } = (await call({ path: '/pets?limit=1' })).headers
  const [id = ''] = /\d+/.exec(pet) ?? []
  const [, cursor = ''] = /cursor=([\w-]+)/.exec(link) ?? []
  return { pet, filled: (text) => text.replaceAll('{id}', id).replaceAll('{cursor}', cursor) }
}

/** The responses of a server: how many had each status, those to each idempotency key, and how many 503s were retried. */
type Seen = { statuses: Record<string, number>; byKey: Map<string, Received[]>; retries: number }

/** A server under test. */
export type Target = Stored & { server: LocalServer; call: Call; seen: Seen }

export const targetAt = async (server: LocalServer): Promise<Target> => {
  const seen: Seen = { statuses: {}, byKey: new Map(), retries: 0 }
  const call: Call = ({ headers, ...request }) =>
    deliver(server.baseUrl, { ...request, headers: { Authorization: `Bearer ${server.apiKey}`, ...headers } }, seen)
  return { server, call, seen, ...(await prepare(call)) }
}

/** Sends a request, and checks every response. The error of a check has the request, the responses and their log lines. */
export const tryOut = async (target: Target, request: ClientRequest | RawRequest): Promise<void> => {
  const { server, call, seen, pet } = target
  const responses: Received[] = []
  try {
    responses.push(...(await responsesTo(target, request)))
    for (const response of responses) {
      await checkResponse(response, { ...request, pet }, call)
      seen.statuses[response.status] = (seen.statuses[response.status] ?? 0) + 1
    }
    if ('key' in request && request.key)
      seen.byKey.set(request.key, [...(seen.byKey.get(request.key) ?? []), ...responses])
  } catch (error) {
    const ids = responses.map(({ headers }) => headers['x-request-id'] ?? '-')
    const log = server.output().split('\n')
    const lines = [error instanceof Error ? error.message : error, JSON.stringify(request)]
      .concat(responses.map(({ status, text }) => `${status} ${text}`))
      .concat(log.filter((line) => ids.some((id) => line.includes(id))))
    throw new Error(lines.map((line) => String(line).slice(0, 2000)).join('\n'), { cause: error })
  }
}

const responsesTo = async ({ server: { baseUrl }, seen, filled }: Target, request: ClientRequest | RawRequest) => {
  if ('text' in request) {
    const responses = responsesIn(await exchange(baseUrl, filled(request.text)))
    assert.ok(responses.length > 0 || request.text.trim() === '', 'There is no response.')
    return responses
  }
  const { method, target, headers, body } = request
  const sent = { method, path: filled(target), headers, ...(body && { body: bytesOf(body) }) }
  return [await deliver(new URL(baseUrl).origin, sent, seen)]
}

const MOST_ATTEMPTS = 5

/**
 * Sends a request, and retries it after a 503, as clients are told to: on a busy machine, the database can exceed its
 * time limit. A 503 at every attempt has another cause.
 */
const deliver = async (baseUrl: string, request: Sent, seen: Seen, attempt = 1): Promise<Received> => {
  const response = await send(baseUrl, request)
  if (response.status !== 503 || attempt === MOST_ATTEMPTS) return response
  seen.retries++
  await pause(1000 * Number(response.headers['retry-after']))
  return deliver(baseUrl, request, seen, attempt + 1)
}

// Ends its side of the connection, so that the server does not wait for the rest of an incomplete request.
const exchange = async (baseUrl: string, text: string): Promise<string> => {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).setEncoding('latin1')
  let received = ''
  socket.on('data', (part) => {
    received += part
  })
  socket.end(text, 'latin1')
  await once(socket, 'end')
  return received
}

const responsesIn = (text: string): Received[] => {
  if (text === '') return []
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const rest = text.slice(end + 4)
  const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) /.exec(statusLine)?.[1])
  if (status === 100) return responsesIn(rest)
  const pairs = lines.map((line) => /^(.+?): (.*)$/.exec(line) ?? [])
  const headers = Object.fromEntries(pairs.map(([, name = '', value = '']) => [name.toLowerCase(), value]))
  const length = status === 204 ? 0 : Number(headers['content-length'] ?? rest.length)
  const body = Buffer.from(rest.slice(0, length), 'latin1').toString()
  refuseInternals({ status, headers, text: body })
  return [{ status, headers, text: body, body: body && JSON.parse(body) }, ...responsesIn(rest.slice(length))]
}
