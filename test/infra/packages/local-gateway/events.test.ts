import { deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { GatewayResponse, ProxyEvent } from '../../../../infra/packages/local-gateway/index.ts'
import { eventOf as storedEvent } from '../../../support/events.ts'
import { type Sent, send } from '../../../support/http.ts'
import {
  ask,
  BASE,
  badGateway,
  expectedHeaders,
  GET,
  gatewayResponse,
  serveFunctions,
  serveRoutes,
  wireTo,
} from './gateway.ts'

/** Returns its event as JSON, which is how Lambda passes it to a function. */
const echo = async (event: ProxyEvent): Promise<GatewayResponse> => ({
  statusCode: 200,
  body: JSON.stringify(event),
})

const serveEcho = () => serveFunctions({ listPets: echo, createPet: echo, updatePet: echo })
const eventOf = async (request: Sent): Promise<ProxyEvent> =>
  (await ask(await serveEcho(), request)).body as ProxyEvent
const eventOfText = async (text: string) =>
  (await (await wireTo(await serveEcho(), text)).response()).body as ProxyEvent

test('passes a function an event of API Gateway, without headers that the connection or API Gateway sets', async () => {
  const host = 'a.example:8080'
  const gatewayEvent = storedEvent('listPets-no-parameters')

  const event = await eventOfText(
    `GET ${BASE}/pets HTTP/1.1\r\nHost: ${host}\r\nuSeR-AgEnT: curl/8.5.0\r\nX-Twice: one\r\nX-Twice: two\r\n` +
      'Connection: close\r\nKeep-Alive: 5\r\nTE: trailers\r\nContent-Length: 0\r\n' +
      'X-Forwarded-For: 1.2.3.4\r\nX-FORWARDED-PROTO: https\r\n\r\n',
  )

  const headers = {
    Host: host,
    'uSeR-AgEnT': 'curl/8.5.0',
    'X-Twice': 'two',
    'X-Forwarded-For': '127.0.0.1',
    'X-Forwarded-Port': expect.stringMatching(/^\d+$/),
    'X-Forwarded-Proto': 'https',
  }
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
  expect(event).toEqual({
    ...gatewayEvent,
    headers,
    multiValueHeaders: { ...lists, 'X-Twice': ['one', 'two'] },
    requestContext: {
      ...gatewayEvent.requestContext,
      accountId: '000000000000',
      apiId: 'local',
      deploymentId: undefined,
      domainName: host,
      domainPrefix: undefined,
      extendedRequestId: expect.stringMatching(/^[\w-]{15}=$/),
      identity: { sourceIp: '127.0.0.1', userAgent: 'curl/8.5.0' },
      requestId: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
      requestTime: undefined,
      requestTimeEpoch: expect.any(Number),
      resourceId: 'local',
    },
  })
})

test.each([
  [`/${BASE}/pets`, '/pets', undefined],
  [`${BASE}//pets/7`, '/pets/7', '7'],
  [`HTTP://a.example${BASE}/pets/7`, '/pets/7', '7'],
])(
  'keeps the path %s as it was sent, with the stage only in requestContext',
  async (sent, path, id) => {
    const event = await eventOf({ method: id ? 'PATCH' : 'GET', path: sent })

    const resource = id ? '/pets/{petId}' : '/pets'
    const requestContext = { path: sent.slice(sent.lastIndexOf(BASE)), resourcePath: resource }
    expect(event).toMatchObject({
      resource,
      path,
      pathParameters: id ? { petId: id } : null,
      requestContext,
    })
  },
)

test('decodes a query', async () => {
  const event = await eventOf({
    path: `${BASE}/pets?a&b=1&b=2&c=d%2Be@f.com&c=x+y&url=https%3A%2F%2Fg.com/?x`,
  })

  expect([event.queryStringParameters, event.multiValueQueryStringParameters]).toEqual([
    { a: '', b: '2', c: 'x y', url: 'https://g.com/?x' },
    { a: [''], b: ['1', '2'], c: ['d+e@f.com', 'x y'], url: ['https://g.com/?x'] },
  ])
})

const TEXT = '{"a":"Žofie 🐈"}'

test.each([
  ['text', 'identity', Buffer.from(TEXT), TEXT, false],
  ['text', '', Buffer.from(TEXT), TEXT, false],
  ['bytes that are not UTF-8', 'identity', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'e//+fQ==', true],
  ['compressed text', 'deflate', deflateSync(TEXT), TEXT, false],
  ['compressed text', 'GZIP', gzipSync(TEXT), TEXT, false],
])(
  'passes on a body of %s with Content-Encoding: %s',
  async (_name, coding, sent, body, isBase64Encoded) => {
    const event = await eventOf({
      method: 'POST',
      headers: { 'Content-Encoding': coding },
      body: sent,
    })

    expect([event.body, event.isBase64Encoded]).toEqual([body, isBase64Encoded])
  },
)

const OVER_1_MIB = deflateSync(Buffer.alloc(1024 * 1024 + 1))

test.each([
  ['another coding', 'br', '{}', 415, 'not valid gzip'],
  ['a body that is not compressed', 'gzip', '{}', 415, 'not valid gzip'],
  ['1 MiB and a byte when decompressed', 'deflate', OVER_1_MIB, 413, '256 KiB'],
])('refuses %s', async (_name, coding, body, status, reason) => {
  const headers = { 'Content-Encoding': coding }

  const response = await ask(await serveFunctions(), { method: 'POST', headers, body })

  const message = expect.stringContaining(reason)
  expect(response).toMatchObject({ status, body: { status, message } })
})

test.each([
  ['no Host', ''],
  ['an invalid Host', 'Host: a/b\r\n'],
  ['two Host lines', 'Host: a\r\nHost: a\r\n'],
])('returns 400 to %s', async (_name, hosts) => {
  const wire = await wireTo(await serveFunctions(), GET.replace('Host: a\r\n', hosts))

  expect(await wire.response()).toEqual(
    gatewayResponse(400, 'bad_request', 'The request is malformed.'),
  )
})

test('takes HTTP/1.0 without Host, as health checks send it', async () => {
  const event = await eventOfText(`GET ${BASE}/pets HTTP/1.0\r\n\r\n`)

  expect(event.requestContext.domainName).toBe(`127.0.0.1:${event.headers['X-Forwarded-Port']}`)
  expect(event.headers['X-Forwarded-Proto']).toBe('http')
})

// test/api tests more paths and methods, in AWS too.
test('returns 404 to a path with a repeated slash', async () => {
  const response = await ask(await serveFunctions(), { path: `${BASE}/pets//7` })

  const message = expect.stringMatching(
    `^There is no resource at this path\\. The API has .*GET ${BASE}/pets, `,
  )
  expect(response).toEqual(gatewayResponse(404, 'not_found', message))
})

test.each([
  ['/pets/7', '/pets/{petId}', { petId: '7' }],
  ['/pets/count', '/pets/count', null],
  ['/pets/7/toys', '/pets/{petId}/{list}', { petId: '7', list: 'toys' }],
  ['/pets/count/toys', '/pets/count/{list}', { list: 'toys' }],
])('literal parts of a path win over parameters: %s', async (path, resource, pathParameters) => {
  const templates = ['/pets/{petId}', '/pets/count', '/pets/{petId}/{list}', '/pets/count/{list}']

  for (const paths of [templates, templates.toReversed()]) {
    const routes = paths.map((path) => ({ method: 'GET', path, invoke: echo }))
    const { body } = await ask(await serveRoutes(routes), { path: BASE + path })
    expect(body).toMatchObject({ resource, pathParameters })
  }
})

test('responds to OPTIONS and to other methods by itself, with the methods of the path', async () => {
  const served = await serveFunctions()
  const [options, put] = [
    await ask(served, { method: 'OPTIONS' }),
    await ask(served, { method: 'PUT' }),
  ]

  const allowed = 'GET, POST, OPTIONS'
  expect(options).toMatchObject({ status: 204, headers: { allow: allowed } })
  const message = `This path allows ${allowed}.`
  expect(put).toEqual(gatewayResponse(405, 'method_not_allowed', message, { allow: allowed }))
})

test('responds to OPTIONS of a path without a resource, which a browser asks before it reads a 404', async () => {
  const served = await serveFunctions()

  const response = await ask(served, { method: 'OPTIONS', path: '/nothing' })

  expect(response).toMatchObject({ status: 204, headers: { allow: 'OPTIONS' }, body: undefined })
})

test('serves a document for the address of the request, with the common headers, and only to a GET or HEAD', async () => {
  const documents = {
    '/about.txt': (origin: string) => ({ headers: { 'Content-Type': 'text/plain' }, body: origin }),
  }
  const served = await serveRoutes([], {}, documents)
  const path = `${BASE}/about.txt`
  const headers = { Host: 'a.example' }

  const read = await send(served.baseUrl, { path, headers })
  const head = await send(served.baseUrl, { method: 'HEAD', path, headers })
  const forwarded = { Host: 'b.example', 'X-Forwarded-Proto': 'https' }
  const others = [
    await ask(served, { path, headers: forwarded }),
    await ask(served, { method: 'OPTIONS', path }),
    await ask(served, { method: 'PUT', path }),
    await ask(served, { path: `${BASE}/aboutXtxt` }),
  ]

  expect(read).toMatchObject({
    status: 200,
    headers: { ...expectedHeaders, 'content-type': 'text/plain' },
    text: 'http://a.example',
  })
  const changing = { date: expect.anything(), 'x-request-id': expect.anything() }
  expect(head).toEqual({
    status: 200,
    headers: { ...read.headers, ...changing },
    text: '',
    body: undefined,
  })
  const allow = 'GET, HEAD, OPTIONS'
  expect(others).toMatchObject([
    { status: 200, body: 'https://b.example' },
    { status: 204, headers: { allow } },
    { status: 405, headers: { allow } },
    { status: 404 },
  ])
})

test('allows no HEAD of a function, and says what is allowed', async () => {
  const { status, headers, text } = await send((await serveFunctions()).baseUrl, {
    method: 'HEAD',
    path: `${BASE}/pets`,
  })

  expect([status, headers.allow, text]).toEqual([405, 'GET, POST, OPTIONS', ''])
})

test("returns a function's status, headers and body, and nothing else", async () => {
  const result = { statusCode: 207, headers: { 'X-A': 'a' }, body: '[1]' }
  const served = await serveFunctions({ listPets: async () => result })

  expect(await ask(served)).toEqual({ status: 207, headers: { 'x-a': 'a' }, body: [1] })
})

test.each<[string, () => Promise<GatewayResponse>]>([
  ['throws', () => Promise.reject(new Error('A bug.'))],
  [
    'returns an invalid name of a header',
    async () => ({ statusCode: 200, headers: { 'a b': '' } }),
  ],
  ['returns a line break in a header', async () => ({ statusCode: 200, headers: { a: '\n' } })],
  [
    'returns a length of its own',
    async () => ({ statusCode: 200, headers: { 'content-length': '9' }, body: '[]' }),
  ],
])('returns 502 when a function %s, and keeps running', async (_name, listPets) => {
  const served = await serveFunctions({ listPets })

  const responses = [await ask(served), await ask(served, { method: 'POST' })]

  const ok = expect.objectContaining({ status: 200, body: [] })
  expect(responses).toEqual([badGateway, ok])
})
