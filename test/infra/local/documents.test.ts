import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { referenceScript } from '../../../infra/openapi/docs-page.ts'
import { publicDocuments } from '../../../infra/openapi/public-documents.ts'
import { send } from '../../support/http.ts'
import { ask, commonHeaders, gatewayAnswer, serve } from './front.ts'

const { integrity, publicAddress } = referenceScript()
const deployed = publicDocuments({ address: publicAddress, integrity })
const lowerNames = (headers: object) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

test.each([
  ['/openapi.json', '/v1/openapi.json'],
  ['/openapi.json', '/v1//openapi.json?pretty'],
  ['/docs', '/v1/docs'],
  ['/docs', '/v1/docs/'],
])('serves %s at %s, as a deployed API does', async (path, address) => {
  const front = await serve()

  const answer = await send(front.baseUrl, { path: address })

  const { headers, body = '' } = deployed[path] ?? {}
  expect(answer.status).toBe(200)
  expect(answer.headers).toMatchObject({ ...commonHeaders, ...lowerNames(headers ?? {}) })
  expect(answer.text.replace(/src="[^"]+"/, `src="${publicAddress}"`)).toBe(body)
  expect(console.info).toHaveBeenCalledExactlyOnceWith({
    requestId: answer.headers['x-request-id'],
    method: 'GET',
    path: expect.stringMatching(/\/v1\/+\w+(\.json|\/)?$/),
    status: 200,
  })
})

test('serves the script of the page, which needs no network', async () => {
  const front = await serve()
  const { text: page } = await send(front.baseUrl, { path: '/v1/docs' })
  const [, address = '', digest] = /<script src="([^"]+)" integrity="sha384-([^"]+)"/.exec(page) ?? []

  const { status, headers, text } = await send(front.baseUrl, { path: address })

  expect(status).toBe(200)
  expect(address).toMatch(/^\/v1\/docs\.js\?\d+\.\d+\.\d+$/)
  expect(headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': 'text/javascript; charset=utf-8',
  })
  expect(createHash('sha384').update(text).digest('base64')).toBe(digest)
})

const NOTHING = /^There is no resource at this path\. The API has .+, GET \/v1\/openapi\.json, GET \/v1\/docs\.$/
const notFound = gatewayAnswer(404, 'not_found', expect.stringMatching(NOTHING))

test.each([
  ['POST', '/v1/docs'],
  ['DELETE', '/v1/openapi.json'],
  ['PUT', '/v1/docs.js'],
  ['GET', '/v1/docs/pets'],
  ['OPTIONS', '/v1/docs/pets'],
  ['GET', '/v1/openapi.json/info'],
  ['GET', '/v1/openapi'],
  ['GET', '/docs'],
])('answers 404 to %s %s', async (method, path) => {
  const front = await serve()

  const answer = await ask(front, { method, path, ...(method === 'POST' && { body: '{}' }) })

  expect(answer).toEqual(notFound)
})

test('answers 404 to HEAD, and as HTTP asks without a body', async () => {
  const front = await serve()

  const answer = await ask(front, { method: 'HEAD', path: '/v1/docs' })

  expect(answer).toEqual({ status: 404, headers: commonHeaders, body: undefined })
})

test.each(['/v1/docs', '/v1/openapi.json'])('tells browsers what they may send to %s', async (path) => {
  const front = await serve()

  const answer = await ask(front, { method: 'OPTIONS', path })

  expect(answer).toMatchObject({ status: 204, headers: { 'access-control-allow-methods': 'GET,OPTIONS' } })
})
