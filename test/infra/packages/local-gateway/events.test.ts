import { deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { ProxyEvent } from '../../../../shared/pipeline/gateway-event.ts'
import { eventOf as storedEvent } from '../../../support/events.ts'
import type { Sent } from '../../../support/http.ts'
import {
  ask,
  BASE,
  badGateway,
  echo,
  GET,
  MALFORMED,
  serveFunction,
  serveRoutes,
  wireTo,
} from './gateway.ts'

const eventOf = async (request: Sent) =>
  (await ask(await serveFunction(echo), request)).body as ProxyEvent

test('passes a function an event of API Gateway, without headers of the connection', async () => {
  const gatewayEvent = storedEvent('listPets-no-parameters')

  const event = await eventOf({
    headers: {
      Host: 'a.example:8080',
      'User-Agent': 'curl/8.5.0',
      'X-Twice': ['one', 'two'],
      Connection: 'close',
      'Keep-Alive': '5',
      TE: 'trailers',
      'Content-Length': '0',
      'X-Forwarded-For': '1.2.3.4',
      'X-FORWARDED-PROTO': 'https',
    },
  })

  const headers = {
    host: 'a.example:8080',
    'user-agent': 'curl/8.5.0',
    'x-twice': 'two',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-port': expect.stringMatching(/^\d+$/),
    'x-forwarded-proto': 'https',
  }
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
  expect(event).toEqual({
    ...gatewayEvent,
    headers,
    multiValueHeaders: { ...lists, 'x-twice': ['one', 'two'] },
    requestContext: {
      ...gatewayEvent.requestContext,
      accountId: '000000000000',
      apiId: 'local',
      deploymentId: undefined,
      domainName: 'a.example:8080',
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

test('takes a target in absolute form', async () => {
  const event = await eventOf({ path: `http://a${BASE}/pets?b=c` })

  expect(event).toMatchObject({ path: '/pets', queryStringParameters: { b: 'c' } })
})

test('keeps a path as it was sent, with the stage only in requestContext', async () => {
  const event = await eventOf({ method: 'PATCH', path: `/${BASE}//pets/a%2Fb` })

  expect(event).toMatchObject({
    resource: '/pets/{petId}',
    path: '/pets/a%2Fb',
    pathParameters: { petId: 'a%2Fb' },
    requestContext: { path: `${BASE}//pets/a%2Fb`, resourcePath: '/pets/{petId}' },
  })
})

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
  ['text', '', Buffer.from(TEXT), TEXT, false],
  ['bytes that are not UTF-8', 'identity', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'e//+fQ==', true],
  ['compressed text', 'deflate', deflateSync(TEXT), TEXT, false],
  ['compressed text', 'GZIP', gzipSync(TEXT), TEXT, false],
])(
  'passes on a body of %s with Content-Encoding: %s',
  async (_name, coding, sent, body, isBase64Encoded) => {
    const headers = { 'Content-Encoding': coding }
    const event = await eventOf({ method: 'POST', headers, body: sent })

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

  const response = await ask(await serveFunction(), { method: 'POST', headers, body })

  expect(response).toMatchObject({ status, body: { message: expect.stringContaining(reason) } })
})

test.each(['', 'Host: a/b\r\n', 'Host: a\r\nHost: b\r\n'])(
  'returns 400 to the host "%s"',
  async (host) => {
    const wire = await wireTo(await serveFunction(), GET.replace('Host: a\r\n', host))

    expect(await wire.response()).toEqual(MALFORMED)
  },
)

test.each([
  ['/pets/count', '/pets/count', null],
  ['/pets/count/toys', '/pets/count/{list}', { list: 'toys' }],
])('literal parts of a path win over parameters: %s', async (path, resource, pathParameters) => {
  const templates = ['/pets/{petId}', '/pets/count', '/pets/{petId}/{list}', '/pets/count/{list}']
  const routes = templates.map((path) => ({ method: 'GET', path, invoke: echo }))

  const { body } = await ask(await serveRoutes(routes), { path: BASE + path })

  expect(body).toMatchObject({ resource, pathParameters })
})

test("returns a function's status, headers and body, and nothing else", async () => {
  const result = { statusCode: 207, headers: { 'X-A': 'a' }, body: '[1]' }
  const served = await serveFunction(async () => result)

  expect(await ask(served)).toEqual({ status: 207, headers: { 'x-a': 'a' }, body: [1] })
})

test('returns 502 when a function returns a header of two lines', async () => {
  const result = { statusCode: 200, headers: { a: '\n' }, body: '' }

  expect(await ask(await serveFunction(async () => result))).toEqual(badGateway)
})
