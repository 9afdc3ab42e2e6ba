import { describe, expect, test } from 'vitest'
import { openApiDocument } from '../../infra/openapi/document.ts'
import { referencePaths } from '../../infra/platform/gateway.ts'
import { entries } from '../../shared/contract.ts'
import { PATH_PARAMETER } from '../../shared/pipeline/by-method.ts'
import { service } from '../../shared/service.ts'
import {
  apiKey,
  baseUrl,
  expectCommonHeaders,
  expectError,
  request,
  requestAnonymously,
} from '../support/api.ts'
import { send } from '../support/http.ts'

const reference = Object.values(referencePaths)
const routes = [...Object.values(entries), ...reference.map((path) => ({ method: 'GET', path }))]

/** A path for each path of the contract and of the reference, and the methods that it allows. */
const paths: [path: string, methods: string[]][] = reference.map((path) => [
  path,
  ['GET', 'HEAD', 'OPTIONS'],
])
for (const [path, own] of Map.groupBy(Object.values(entries), ({ path }) => path))
  paths.push([
    path.replaceAll(PATH_PARAMETER, '1'),
    [...own.map(({ method }) => method), 'OPTIONS'],
  ])

describe.each([
  ['with a key', request],
  ['without a key', requestAnonymously],
])('%s', (_, sender) => {
  test.each([
    ['GET', ''],
    ['GET', '/pet'],
    ['GET', '/pets/1/2'],
    ['GET', '/PETS'],
    ['PUT', '/openapi.json/info'],
  ])('returns 404 for %s "%s"', async (method, path) => {
    const response = await sender({ method, path })

    const addresses = routes
      .map((route) => `${route.method} ${service.basePath}${route.path}`)
      .join(', ')
    expectError(
      response,
      404,
      'not_found',
      `There is no resource at this path. The API has ${addresses}.`,
    )
  })

  test.each(
    paths.flatMap(([path, allowed]) =>
      ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method) =>
        allowed.includes(method) ? [] : [[method, path, allowed.join(', ')] as const],
      ),
    ),
  )('returns 405 for %s %s', async (method, path, allowed) => {
    const headers = { 'Content-Type': 'application/merge-patch+json' }

    const response = await sender({ method, path, headers, body: '{}' })

    expectError(response, 405, 'method_not_allowed', `This path allows ${allowed}.`)
    expect(response.headers.allow).toBe(allowed)
  })
})

test('returns an error outside the base address', async () => {
  const response = await send(new URL(baseUrl).origin, {
    path: '/other/pets',
    headers: { Authorization: apiKey },
  })

  // API Gateway returns its own 403 where there is no stage.
  expect([403, 404]).toContain(response.status)
})

test('ignores a slash at the end of a path', async () => {
  const { status } = await request({ path: '/pets/' })

  expect(status).toBe(200)
})

test('gives every request an id of its own, which the client cannot choose', async () => {
  const headers = { 'X-Request-Id': 'mine', 'x-amzn-RequestId': 'mine' }

  const responses = [
    await request({ path: '/pets', headers }),
    await request({ path: '/pets', headers }),
  ]

  const ids = responses.map((response) => response.headers['x-request-id'])
  expect(ids[0]).not.toBe(ids[1])
  expect(ids).not.toContain('mine')
})

test.each([...paths, ['/nothing', ['OPTIONS']], ['', ['OPTIONS']]])(
  'lets browsers send any request to "%s" from any page',
  async (path, methods) => {
    const headers = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' }

    const response = await requestAnonymously({ method: 'OPTIONS', path, headers })

    expect([response.status, response.text]).toEqual([204, ''])
    expectCommonHeaders(response)
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': expect.stringMatching(
        /^Authorization,Content-Type,(.+,)?Idempotency-Key,(.+,)?\*$/,
      ),
      'access-control-allow-methods': '*',
      'access-control-max-age': '7200',
      allow: methods.join(', '),
    })
    expect(response.headers['accept-patch']).toBe(
      methods.includes('PATCH') ? 'application/json, application/merge-patch+json' : undefined,
    )
  },
)

test.each(reference)('returns the headers of %s to a HEAD', async (path) => {
  const head = await send(baseUrl, { method: 'HEAD', path })
  const read = await send(baseUrl, { path })

  expect([head.status, head.text]).toEqual([200, ''])
  expect(head.headers['content-type']).toBe(read.headers['content-type'])
})

test('takes a header that is repeated with one value', async () => {
  const headers = { 'Content-Type': ['application/json', 'application/json'] }

  const { status } = await request({
    method: 'POST',
    path: '/pets',
    headers,
    body: '{"name":"Mia"}',
  })

  expect(status).not.toBe(415)
})

test('lets browsers read the headers of responses, errors included', async () => {
  const { body } = await requestAnonymously({ path: '/openapi.json' })
  // Browsers may always read this one.
  const documented = Object.keys(Object(body).components.headers).filter(
    (name) => name !== 'Access-Control-Allow-Origin',
  )

  const responses = [
    await request({ path: '/pets' }),
    await requestAnonymously({ path: '/pets' }),
    await request({ path: '/' }),
  ]

  for (const response of responses) {
    expectCommonHeaders(response)
    expect(response.headers['access-control-expose-headers']?.split(', ')).toEqual(
      expect.arrayContaining(documented),
    )
  }
})

test.each([
  ['/openapi.json', 'application/json'],
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/', 'text/html; charset=utf-8'],
])('serves %s to anybody', async (path, type) => {
  const { status, headers } = await requestAnonymously({
    path,
    headers: { Authorization: 'Bearer wrong' },
  })

  expect(status).toBe(200)
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'cache-control': 'no-cache',
    'content-type': type,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^\S+$/),
  })
})

test('the document is that of the contract, with absolute addresses', async () => {
  const { text } = await requestAnonymously({ path: '/openapi.json' })

  const { servers } = JSON.parse(text)
  const urls: string[] = servers.map(({ url }: { url: string }) => url)
  expect(urls.filter((url) => !/^https?:\/\/[^/]/.test(url))).toEqual([])
  expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(openApiDocument(urls)))
})

test('the page shows the document, and runs its two scripts only', async () => {
  const { headers, text } = await requestAnonymously({ path: '/docs' })

  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; script-src 'sha384-\S+' 'sha256-\S+'; connect-src 'self'; .+ data:$/,
  )
  expect(text).toContain(`"url":"${service.basePath}/openapi.json"`)
})
