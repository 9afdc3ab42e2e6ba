import { expect, test } from 'vitest'
import { openApiDocument } from '../../infra/openapi/document.ts'
import { exactJson, stringifyJson } from '../../shared/model/json.ts'
import { call, callAnonymously, expectError } from '../support/api.ts'

const NOTHING = /^There is no resource at this path\. The API has .+, GET \/v1\/openapi\.json, GET \/v1\/docs\.$/

const common = {
  'access-control-allow-origin': '*',
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-request-id': expect.stringMatching(/^\S+$/),
}

const withWrongKey: typeof call = (request) => call({ ...request, headers: { Authorization: 'Bearer wrong' } })

test.each([
  ['without a key', callAnonymously],
  ['with a key', call],
  ['with a wrong key', withWrongKey],
])('serves its OpenAPI document, %s', async (_, sender) => {
  const { status, headers, text } = await sender({ path: '/openapi.json' })

  expect(status).toBe(200)
  expect(headers).toMatchObject({ ...common, 'content-type': 'application/json' })
  expect(stringifyJson(exactJson(text, JSON.parse(text)))).toBe(stringifyJson(openApiDocument()))
})

test.each([
  ['/docs', callAnonymously],
  ['/docs/', callAnonymously],
  ['/docs', call],
  ['/docs', withWrongKey],
])('serves a page that shows the document at %s', async (path, sender) => {
  const { status, headers, text } = await sender({ path })

  const [, hash] = /<script src="\S+" integrity="(sha384-\S+)" crossorigin="anonymous">/.exec(text) ?? []
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    ...common,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; script-src 'sha384-\S+' 'sha256-\S+'; connect-src 'self'; .+; img-src data:$/,
    ),
  })
  expect(headers['content-security-policy']).toContain(`'${hash}'`)
  expect(text).toContain('"url":"/v1/openapi.json"')
})

test.each([
  ['POST', '/docs'],
  ['DELETE', '/openapi.json'],
  ['GET', '/docs/pets'],
  ['GET', '/openapi.json/info'],
  ['PUT', '/openapi.json/info'],
])('has nothing else there: %s %s', async (method, path) => {
  const responses = [await callAnonymously({ method, path }), await call({ method, path })]

  for (const response of responses) expectError(response, 404, 'not_found', expect.stringMatching(NOTHING))
})

test.each(['/docs', '/openapi.json'])('lets browsers of any page read %s', async (path) => {
  const headers = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' }

  const response = await callAnonymously({ method: 'OPTIONS', path, headers })

  expect(response.status).toBe(204)
  expect(response.headers['access-control-allow-methods']).toBe('GET,OPTIONS')
})
