import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { LOCAL_API_KEY } from '../../../infra/local/announcement.ts'
import { send } from '../../support/http.ts'
import { ask, commonHeaders, gatewayResponse, serve } from './local-server.ts'

const WITHOUT_RESOURCE =
  '/ /v1 /v1/ /pets /docs /v2/pets /v1pets /V1/pets /v1/Pets /v1/cats /v1/pets/7/toys /v1/pets//7 /v1/pets// ' +
  '/v1/p%65ts /v1/__proto__ /v1/openapi /favicon.ico'

test.each<[string, string]>([
  ...WITHOUT_RESOURCE.split(' ').map((path): [string, string] => ['GET', path]),
  ['POST', '/v1/cats'],
  ['OPTIONS', '/v1/cats'],
  ['OPTIONS', '/pets'],
  ['OPTIONS', '/v1/docs/pets'],
  ['POST', '/v1/docs'],
  ['DELETE', '/v1/openapi.json'],
  ['PUT', '/v1/docs.js'],
])('returns 404 to %s %s', async (method, path) => {
  const served = await serve()

  const response = await ask(served, { method, path, ...(method === 'POST' && { body: '{}' }) })

  const message =
    /^There is no resource at this path\. The API has GET \/v1\/pets, .+, GET \/v1\/openapi\.json, GET \/v1\/docs\.$/
  expect(response).toEqual(gatewayResponse(404, 'not_found', expect.stringMatching(message)))
})

test.each([
  ['PUT', '/v1/pets', 'GET, POST, OPTIONS'],
  ['TRACE', '/v1/pets', 'GET, POST, OPTIONS'],
  ['PROPFIND', '/v1/pets', 'GET, POST, OPTIONS'],
  ['POST', '/v1/pets/7', 'GET, OPTIONS'],
])('returns 405 to %s %s', async (method, path, allow) => {
  const served = await serve()

  const response = await ask(served, { method, path, ...(method !== 'TRACE' && { body: '{}' }) })

  expect(response).toEqual(gatewayResponse(405, 'method_not_allowed', `This path allows ${allow}.`, { allow }))
})

test.each([
  ['HEAD', '/v1/pets', 405, { allow: 'GET, POST, OPTIONS' }],
  ['HEAD', '/v1/docs', 404, {}],
  [
    'OPTIONS',
    '/v1/pets',
    204,
    {
      'access-control-allow-headers': 'Authorization,Content-Type,Idempotency-Key',
      'access-control-allow-methods': 'GET,POST,OPTIONS',
      'access-control-max-age': '7200',
    },
  ],
])('responds to %s %s with %d and without a body', async (method, path, status, headers) => {
  const served = await serve()

  const response = await ask(served, { method, path })

  expect(response).toEqual({ status, headers: { ...commonHeaders, ...headers }, body: undefined })
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
  const requestId = response.headers['x-request-id']
  const logged = { requestId, method: 'GET', path: '/v1//openapi.json', status: 200 }
  expect(console.info).toHaveBeenCalledExactlyOnceWith(logged)
})

test('serves the script of the reference page, so that the page needs no network', async () => {
  const served = await serve()
  const { text: page } = await send(served.baseUrl, { path: '/v1/docs/' })
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
