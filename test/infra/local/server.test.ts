import { expect, test } from 'vitest'
import { LOCAL_API_KEY } from '../../../infra/local/announcement.ts'
import { ask, commonHeaders, gatewayAnswer, serve } from './front.ts'

const NOTHING = /^There is no resource at this path\. The API has GET \/v1\/pets, POST \/v1\/pets, .+\.$/
const notFound = gatewayAnswer(404, 'not_found', expect.stringMatching(NOTHING))

test.each([
  ['GET', '/v1/cats'],
  ['GET', '/v1/pets/7/toys'],
  ['POST', '/v1/cats'],
  ['OPTIONS', '/v1/cats'],
  ['OPTIONS', '/pets'],
  ['GET', '/v1'],
  ['GET', '/'],
  ['GET', '/pets'],
  ['GET', '/favicon.ico'],
])('answers 404 to %s %s', async (method, path) => {
  const front = await serve()

  const answer = await ask(front, { method, path })

  expect(answer).toEqual(notFound)
})

test.each(['PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND'])('answers 405 to %s on a list', async (method) => {
  const front = await serve()

  const answer = await ask(front, { method, path: '/v1/pets' })

  expect(answer).toEqual(
    gatewayAnswer(405, 'method_not_allowed', 'This path allows GET, POST, OPTIONS.', { allow: 'GET, POST, OPTIONS' }),
  )
})

test.each(['POST', 'PUT', 'DELETE'])('answers 405 to %s on a pet', async (method) => {
  const front = await serve()

  const answer = await ask(front, { method, path: '/v1/pets/7', body: '{}' })

  expect(answer).toEqual(
    gatewayAnswer(405, 'method_not_allowed', 'This path allows GET, OPTIONS.', { allow: 'GET, OPTIONS' }),
  )
})

test('answers 405 to HEAD with the headers of the answer and, as HTTP asks, no body', async () => {
  const front = await serve()

  const answer = await ask(front, { method: 'HEAD', path: '/v1/pets' })

  expect(answer).toEqual({ status: 405, headers: { ...commonHeaders, allow: 'GET, POST, OPTIONS' }, body: undefined })
})

test.each([
  ['/v1/pets', 'GET,POST,OPTIONS'],
  ['/v1/pets/7', 'GET,OPTIONS'],
])('answers 204 to a browser that asks what it may send to %s', async (path, methods) => {
  const front = await serve()
  const headers = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' }

  const answer = await ask(front, { method: 'OPTIONS', path, headers })

  expect(answer).toEqual({
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
  ['as it is', LOCAL_API_KEY, '/v1/pet_local_…'],
  ['cut short', LOCAL_API_KEY.slice(0, 30), '/v1/pet_local_…'],
  ['with some of it percent-encoded', LOCAL_API_KEY.replaceAll('_', '%5F'), '/v1/…'],
  ['with all of it percent-encoded', percentEncoded(LOCAL_API_KEY), '/v1/…'],
])('logs no API key that was pasted into the address %s', async (_, key, path) => {
  const front = await serve()

  await ask(front, { path: `/v1/${key}?key=${LOCAL_API_KEY}` })

  expect(console.info).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ path }))
})
