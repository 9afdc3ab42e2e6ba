import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Received, type Sent, send } from '../support/http.ts'
import { refuseInternals } from '../support/secrets.ts'
import type { LocalServer } from '../support/server.ts'
import { bytesOf } from './bodies.ts'
import { checkResponse, type Get } from './checks.ts'
import type { ClientRequest } from './requests.ts'
import type { RawRequest } from './strange-requests.ts'

/** A server under test, with a stored pet and a cursor, and what it has returned so far. */
export type Target = {
  server: LocalServer
  get: Get
  pet: string
  cursor: string
  statuses: Record<string, number>
  byKey: Map<string, Received[]>
  /** How many 503 responses were followed by a retry. */
  retries: number
}

/** Stores the pets that requests refer to. */
export const targetAt = async (server: LocalServer): Promise<Target> => {
  const headers = { Authorization: `Bearer ${server.apiKey}`, 'Content-Type': 'application/json' }
  const get: Get = (path) => deliver(target, { path, headers })
  const target: Target = { server, get, pet: '', cursor: '', statuses: {}, byKey: new Map(), retries: 0 }
  for (const body of ['{"name":"Tom","categoryId":7}', '{"name":"Rex","categoryId":7,"status":"sold"}'])
    target.pet = (await deliver(target, { method: 'POST', path: '/v1/pets', headers, body })).text
  const firstPage = await get('/v1/pets?limit=1')
  target.cursor = /cursor=([\w-]+)/.exec(firstPage.headers.link ?? '')?.[1] ?? ''
  return target
}

/** Puts the id of the stored pet and the cursor in their places. */
export const filled = (text: string, { pet, cursor }: Pick<Target, 'pet' | 'cursor'>): string =>
  text.replaceAll('{id}', /\d+/.exec(pet)?.[0] ?? '').replaceAll('{cursor}', cursor)

/** Sends a request, and checks every response to it. The error of a failed check has the request, and what came of it. */
export const tryOut = async (target: Target, request: ClientRequest | RawRequest): Promise<void> => {
  const responses: Received[] = []
  try {
    responses.push(...(await responsesTo(target, request)))
    for (const response of responses) {
      await checkResponse(response, { ...request, pet: target.pet }, target.get)
      target.statuses[response.status] = (target.statuses[response.status] ?? 0) + 1
    }
    if ('key' in request && request.key)
      target.byKey.set(request.key, [...(target.byKey.get(request.key) ?? []), ...responses])
  } catch (error) {
    const lines = target.server.output().split('\n')
    const shown = responses.flatMap(({ status, text, headers: { 'x-request-id': id } }) => [
      `${status} ${text}`,
      ...lines.filter((line) => id && line.includes(id)),
    ])
    const report = [error instanceof Error ? error.message : error, JSON.stringify(request), ...shown]
    throw new Error(report.map((line) => String(line).slice(0, 2000)).join('\n'), { cause: error })
  }
}

const responsesTo = async (target: Target, request: ClientRequest | RawRequest): Promise<Received[]> => {
  if ('text' in request) {
    const responses = responsesIn(await exchange(target.server.baseUrl, filled(request.text, target)))
    assert.ok(responses.length > 0 || request.text.trim() === '', 'There is no response.')
    return responses
  }
  const { method, headers, body } = request
  const sent = { method, path: filled(request.target, target), headers, ...(body && { body: bytesOf(body) }) }
  return [await deliver(target, sent)]
}

const MOST_ATTEMPTS = 5

/**
 * Sends a request, and retries it after a 503, as clients are told to: on a busy machine, the database can exceed its
 * time limit. A 503 at every attempt has another cause.
 */
const deliver = async (target: Target, request: Sent, attempt = 1): Promise<Received> => {
  const response = await send(new URL(target.server.baseUrl).origin, request)
  if (response.status !== 503 || attempt === MOST_ATTEMPTS) return response
  target.retries++
  await pause(1000 * Number(response.headers['retry-after']))
  return deliver(target, request, attempt + 1)
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
  const [head = '', ...bodies] = text.split(/(?<=\r\n\r\n)/)
  const [statusLine = '', ...lines] = head.trimEnd().split('\r\n')
  const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) /.exec(statusLine)?.[1])
  const rest = bodies.join('')
  if (status === 100) return responsesIn(rest)
  const headers = Object.fromEntries(
    lines.map((line) => line.split(': ')).map(([name = '', ...value]) => [name.toLowerCase(), value.join(': ')]),
  )
  const length = status === 204 ? 0 : Number(headers['content-length'] ?? rest.length)
  const body = Buffer.from(rest.slice(0, length), 'latin1').toString()
  refuseInternals({ status, headers, text: body })
  return [{ status, headers, text: body, body: body && JSON.parse(body) }, ...responsesIn(rest.slice(length))]
}
