import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect } from 'vitest'
import { type Received, type Sent, send } from './http.ts'
import { exampleCredentials } from './secrets.ts'
import { startServer } from './server.ts'

/**
 * The API under test: the one at the address `BASE_URL` of the command line, with the key `API_KEY`; without these, a
 * local server that is started for the test file alone.
 */
const { baseUrl, apiKey, stop } = process.env.API_BASE_URL
  ? { baseUrl: process.env.API_BASE_URL.replace(/\/$/, ''), apiKey: process.env.API_KEY ?? '', stop: undefined }
  : await startServer([], exampleCredentials)
afterAll(() => stop?.())

export { apiKey, baseUrl }

/** Sends a request without an API key; again, as often as a deployment that throttles asks for it. */
export const callAnonymously = async (request: Sent): Promise<Received> => {
  const response = await send(baseUrl, request)
  if (response.status !== 429) return response
  await pause(Number(response.headers['retry-after']) * 1000)
  return callAnonymously(request)
}

/** Sends a request with the API key. */
export const call = ({ headers, ...request }: Sent): Promise<Received> =>
  callAnonymously({ ...request, headers: { Authorization: `Bearer ${apiKey}`, ...headers } })

/** Adds a pet; `pet` is a value, or JSON text where a value would not hold it. */
export const create = (pet: unknown, headers: Sent['headers'] = {}): Promise<Received> => {
  const body = typeof pet === 'string' ? pet : JSON.stringify(pet)
  return call({ method: 'POST', path: '/pets', headers: { 'Content-Type': 'application/json', ...headers }, body })
}

export type Pet = { id: number; name: string; categoryId: number; status?: string }

/** Adds a pet that the service takes. */
export const created = async (pet: Omit<Pet, 'id'>): Promise<Pet> => {
  const { status, body } = await create(pet)
  expect(status).toBe(201)
  return body as Pet // What the interface says of a 201; the tests of createPet prove it.
}

/** The header of a 401, under either of its names: API Gateway's REST APIs rename it on the way out. */
export const challenge = ({ headers }: Received): string | undefined =>
  headers['www-authenticate'] ?? headers['x-amzn-remapped-www-authenticate']

/** Expects an error: exactly the Error body, and what every response carries. */
export const expectError = (received: Received, status: number, code: string, message: unknown): void => {
  expect(received.body).toEqual({ status, code, message })
  expect(received.status).toBe(status)
  expectCommonHeaders(received)
}

/** Expects the headers that every response carries. */
export const expectCommonHeaders = ({ headers }: Received): void => {
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': expect.stringContaining('X-Request-Id'),
    'cache-control': 'no-store',
    'content-type': 'application/json',
    'x-request-id': expect.stringMatching(/^\S+$/),
  })
}
