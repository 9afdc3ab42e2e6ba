import { expect, inject } from 'vitest'
import { cursorAfter } from '../../shared/model/paging.ts'
import type { Pet } from '../../shared/pets/pet.ts'
import './api-server.ts'
import { differences, type OpenApi } from './documented.ts'
import { type Received, type Sent, sendUntilServed } from './http.ts'

/**
 * The API under test (see api-server.ts). Other test files call it, too, so no list is certain to
 * be empty.
 */
export const { baseUrl, apiKey } = inject('api')

// Its tests are in gateway.test.ts.
const openApi = await sendUntilServed(baseUrl, { path: '/openapi.json' })
if (openApi.status !== 200) throw new Error(`${baseUrl} has no OpenAPI document: ${openApi.text}`)

/**
 * Sends a request without an API key. Expects the response to be as the API's OpenAPI document
 * describes it.
 */
export const requestAnonymously = async (request: Sent): Promise<Received> => {
  const response = await sendUntilServed(baseUrl, request)
  expect(
    differences(openApi.body as OpenApi, request, response),
    `${request.method} ${request.path}`,
  ).toEqual([])
  return response
}

/** Sends a request with the API key. Expects the response to be as documented. */
export const request = ({ headers, ...request }: Sent): Promise<Received> =>
  requestAnonymously({ ...request, headers: { Authorization: `Bearer ${apiKey}`, ...headers } })

/** Sends a request with a body: a value, or text or bytes for what no value can express. */
export const sendJson = (
  method: string,
  path: string,
  headers: Sent['headers'] = {},
  body?: unknown,
): Promise<Received> =>
  request({
    method,
    path,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  })

/** Adds a pet. */
export const create = (pet: unknown, headers?: Sent['headers']): Promise<Received> =>
  sendJson('POST', '/pets', headers, pet)

/** Changes a pet. */
export const update = (
  id: number | string,
  changes: unknown,
  headers?: Sent['headers'],
): Promise<Received> => {
  const type = { 'Content-Type': 'application/merge-patch+json' }
  return sendJson('PATCH', `/pets/${id}`, { ...type, ...headers }, changes)
}

/** Deletes a pet. */
export const remove = (id: number | string, headers?: Sent['headers']): Promise<Received> =>
  sendJson('DELETE', `/pets/${id}`, headers)

/** Adds a valid pet, and returns it. */
export const createdPet = async (value: object): Promise<Pet> => {
  const { status, body } = await create(value)
  expect(status).toBe(201)
  return body as Pet // As the document describes a 201; `request` compares them.
}

/**
 * Expects that a list soon has the pet with this id as `expected`. Lists follow a write, usually
 * within a second.
 */
export const expectListed = async (
  id: number,
  expected: object | undefined,
  filter = '',
): Promise<void> => {
  const listed = async () => {
    const { status, body } = await request({
      path: `/pets?limit=1&cursor=${cursorAfter(id + 1)}${filter}`,
    })
    expect(status).toBe(200)
    return (body as Pet[]).find((pet) => pet.id === id)
  }
  await expect.poll(listed).toEqual(expected)
}

/** The challenge of a 401. API Gateway's REST APIs rename its header. */
export const challenge = ({ headers }: Received): string | undefined =>
  headers['www-authenticate'] ?? headers['x-amzn-remapped-www-authenticate']

/** Expects an error: exactly the error body, and the headers of every response. */
export const expectError = (
  received: Received,
  status: number,
  code: string,
  message: unknown,
): void => {
  expect(received.body).toEqual({ status, code, message })
  expect(received.status).toBe(status)
  expectCommonHeaders(received)
}

/** Expects the headers that every response has. */
export const expectCommonHeaders = ({ headers, text }: Received): void => {
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': expect.stringContaining('X-Request-Id'),
    'cache-control': 'no-store',
    ...(text && { 'content-type': 'application/json' }),
    'x-request-id': expect.stringMatching(/^\S+$/),
  })
}
