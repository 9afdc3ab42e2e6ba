import { describe, expect, test } from 'vitest'
import { apiKey, baseUrl, call, callAnonymously, expectCommonHeaders, expectError } from '../support/api.ts'
import { send } from '../support/http.ts'

const NOTHING = /^There is no resource at this path\. The API has GET \/v1\/pets, POST \/v1\/pets, .+\.$/

describe.each([
  ['with a key', call],
  ['without a key', callAnonymously],
])('%s', (_, sender) => {
  test.each(['', '/', '/pet', '/pets/1/2', '/store/orders', '/PETS'])('nothing is at %s', async (path) => {
    const response = await sender({ path })

    expectError(response, 404, 'not_found', expect.stringMatching(NOTHING))
  })

  test.each([
    ['PUT', '/pets', 'GET, POST, OPTIONS'],
    ['DELETE', '/pets', 'GET, POST, OPTIONS'],
    ['POST', '/pets/1', 'GET, OPTIONS'],
    ['PATCH', '/pets/1', 'GET, OPTIONS'],
  ])('%s is no method of %s', async (method, path, allowed) => {
    const response = await sender({ method, path })

    expectError(response, 405, 'method_not_allowed', `This path allows ${allowed}.`)
    expect(response.headers.allow).toBe(allowed)
  })
})

test('answers nothing but an error outside the API', async () => {
  const response = await send(new URL(baseUrl).origin, { path: '/other/pets', headers: { Authorization: apiKey } })

  // API Gateway answers 403 by itself where no stage is.
  expect([403, 404]).toContain(response.status)
})

test.each([
  ['/pets', 'GET,POST,OPTIONS'],
  ['/pets/1', 'GET,OPTIONS'],
])('lets browsers of any page call %s', async (path, methods) => {
  const headers = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' }

  const response = await callAnonymously({ method: 'OPTIONS', path, headers })

  expect(response.status).toBe(204)
  expect(response.text).toBe('')
  expectCommonHeaders(response)
  expect(response.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'Authorization,Content-Type,Idempotency-Key',
    'access-control-allow-methods': methods,
    'access-control-max-age': '7200',
  })
})

test('lets browsers read the headers that matter, on errors as well', async () => {
  const exposed =
    'Link, Location, X-Request-Id, Retry-After, Deprecation, Sunset, Idempotent-Replayed, WWW-Authenticate, x-amzn-Remapped-WWW-Authenticate'

  const responses = [await call({ path: '/pets' }), await callAnonymously({ path: '/pets' }), await call({ path: '/' })]

  for (const response of responses) {
    expectCommonHeaders(response)
    expect(response.headers['access-control-expose-headers']).toBe(exposed)
  }
})

test('gives every request an id of its own, which the client does not choose', async () => {
  const headers = { 'X-Request-Id': 'mine', 'x-amzn-RequestId': 'mine' }

  const ids = [await call({ path: '/pets', headers }), await call({ path: '/pets', headers })].map(
    (response) => response.headers['x-request-id'],
  )

  expect(ids[0]).not.toBe(ids[1])
  expect(ids).not.toContain('mine')
})

test('takes a slash at the end of a path', async () => {
  const { status } = await call({ path: '/pets/' })

  expect(status).toBe(200)
})
