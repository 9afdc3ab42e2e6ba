import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { LOCAL_API_KEY } from '../../../infra/local/announcement.ts'
import { methodsOf, routeOf } from '../../../infra/local/routes.ts'
import { send } from '../../support/http.ts'
import { ask, commonHeaders, gatewayResponse, serve } from './local-server.ts'

const pets = { resource: '/pets', pathParameters: null, operations: { GET: 'listPets', POST: 'createPet' } } as const
const pet = (petId: string) => ({ resource: '/pets/{petId}', pathParameters: { petId }, operations: { GET: 'getPet' } })

test.each([
  ['/v1/pets', pets],
  ['/v1/pets/', pets],
  ['/v1//pets', pets],
  ['/v1///pets/', pets],
  ['/v1/pets/7', pet('7')],
  ['/v1/pets/7/', pet('7')],
  ['/v1//pets/7', pet('7')],
  ['/v1/pets/test%2Balias@gmail.com', pet('test%2Balias@gmail.com')],
  ['/v1/pets/{petId}', pet('{petId}')],
  ['/v1/docs', { resource: '/docs', pathParameters: null, operations: {} }],
])('routes %s', (path, route) => {
  expect(routeOf(path)).toEqual(route)
})

test.each([
  '/',
  '/v1',
  '/v1/',
  '/pets',
  '/v2/pets',
  '/v1pets',
  '/V1/pets',
  '/v1/Pets',
  '/v1/cats',
  '/v1/pets/7/toys',
  '/v1/pets//7',
  '/v1/pets//',
  '/v1/p%65ts',
  '/v1/__proto__',
])('finds no route for %s', (path) => {
  expect(routeOf(path)).toBeUndefined()
})

test('lists the methods of a resource and OPTIONS', () => {
  expect(methodsOf(pets)).toEqual(['GET', 'POST', 'OPTIONS'])
})

test.each([
  ['GET', '/v1/cats'],
  ['POST', '/v1/cats'],
  ['OPTIONS', '/v1/cats'],
  ['OPTIONS', '/pets'],
  ['GET', '/favicon.ico'],
  ['POST', '/v1/docs'],
  ['DELETE', '/v1/openapi.json'],
  ['PUT', '/v1/docs.js'],
  ['OPTIONS', '/v1/docs/pets'],
  ['GET', '/v1/openapi'],
  ['GET', '/docs'],
])('returns 404 to %s %s', async (method, path) => {
  const served = await serve()

  const response = await ask(served, { method, path, ...(method === 'POST' && { body: '{}' }) })

  const message = /^There is no resource at this path\. The API has GET .+, GET \/v1\/openapi\.json, GET \/v1\/docs\.$/
  expect(response).toEqual(gatewayResponse(404, 'not_found', expect.stringMatching(message)))
})

test.each([
  ['PUT', '/v1/pets', 'GET, POST, OPTIONS'],
  ['TRACE', '/v1/pets', 'GET, POST, OPTIONS'],
  ['PROPFIND', '/v1/pets', 'GET, POST, OPTIONS'],
  ['POST', '/v1/pets/7', 'GET, OPTIONS'],
  ['DELETE', '/v1/pets/7', 'GET, OPTIONS'],
])('returns 405 to %s %s', async (method, path, allow) => {
  const served = await serve()

  const response = await ask(served, { method, path, ...(method !== 'TRACE' && { body: '{}' }) })

  expect(response).toEqual(gatewayResponse(405, 'method_not_allowed', `This path allows ${allow}.`, { allow }))
})

test.each([
  ['/v1/pets', 405, { allow: 'GET, POST, OPTIONS' }],
  ['/v1/docs', 404, {}],
])('returns an error to HEAD %s, without a body as HTTP requires', async (path, status, headers) => {
  const served = await serve()

  const response = await ask(served, { method: 'HEAD', path })

  expect(response).toEqual({ status, headers: { ...commonHeaders, ...headers }, body: undefined })
})

test.each([
  ['/v1/pets', 'GET,POST,OPTIONS'],
  ['/v1/pets/7', 'GET,OPTIONS'],
  ['/v1/docs', 'GET,OPTIONS'],
])('returns 204 to a preflight request for %s', async (path, methods) => {
  const served = await serve()
  const headers = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' }

  const response = await ask(served, { method: 'OPTIONS', path, headers })

  expect(response).toEqual({
    status: 204,
    headers: {
      ...commonHeaders,
      'access-control-allow-headers': 'Authorization,Content-Type,Idempotency-Key',
      'access-control-allow-methods': methods,
      'access-control-max-age': '7200',
    },
    body: undefined,
  })
})

const percentEncoded = (text: string): string => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&')

test.each([
  ['unchanged', LOCAL_API_KEY, '/v1/pet_local_…'],
  ['in part', LOCAL_API_KEY.slice(0, 30), '/v1/pet_local_…'],
  ['partly percent-encoded', LOCAL_API_KEY.replaceAll('_', '%5F'), '/v1/…'],
  ['fully percent-encoded', percentEncoded(LOCAL_API_KEY), '/v1/…'],
])('does not log an API key that the URL contains %s', async (_, key, path) => {
  const served = await serve()

  await ask(served, { path: `/v1/${key}?key=${LOCAL_API_KEY}` })

  expect(console.info).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ path }))
})

test('serves a document, and logs the request once', async () => {
  const served = await serve()

  const response = await ask(served, { path: '/v1//openapi.json?pretty' })

  expect(response).toMatchObject({ status: 200, headers: { ...commonHeaders, 'cache-control': 'no-cache' } })
  expect(console.info).toHaveBeenCalledExactlyOnceWith({
    requestId: response.headers['x-request-id'],
    method: 'GET',
    path: '/v1//openapi.json',
    status: 200,
  })
})

test('serves the script of the reference page, so that the page needs no network', async () => {
  const served = await serve()
  const { text: page } = await send(served.baseUrl, { path: '/v1/docs' })
  const [, address = '', digest] = /<script src="([^"]+)" integrity="sha384-([^"]+)"/.exec(page) ?? []

  const { status, headers, text } = await send(served.baseUrl, { path: address })

  expect(status).toBe(200)
  expect(address).toMatch(/^\/v1\/docs\.js\?\d+\.\d+\.\d+$/)
  expect(headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': 'text/javascript; charset=utf-8',
  })
  expect(createHash('sha384').update(text).digest('base64')).toBe(digest)
})
