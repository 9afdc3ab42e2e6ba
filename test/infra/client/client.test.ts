import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import {
  type Client,
  type ClientOptions,
  createClient,
  ServiceError,
} from '../../../infra/client/client.ts'
import { entryRoute } from '../../../infra/client/operations.ts'
import { newRequest, type Route } from '../../../infra/client/request.ts'
import { contract } from '../../../shared/contract.ts'
import { newApiKey } from '../../../shared/model/api-key.ts'
import { Int64Text } from '../../../shared/model/int64.ts'
import { service } from '../../../shared/service.ts'
import { example } from '../../support/example.ts'
import { type FakeResponse, type Fate, serve } from '../../support/fake-api.ts'

const { path } = example
const create = (client: Client) => client[example.create](example.body())
const list = (client: Client) => client[example.list]().toArray({ max: 9 })

const failureOf = async (call: Promise<unknown>): Promise<ServiceError> => {
  const error: unknown = await call.catch((thrown) => thrown)
  if (!(error instanceof ServiceError))
    throw new Error('The call did not throw a ServiceError.', { cause: error })
  return error
}

describe('a list', () => {
  const item = (id: number) => ({ id, ...example.body() })

  const page = (ids: number[], Link = ''): FakeResponse => ({
    status: 200,
    headers: { Link },
    body: JSON.stringify(ids.map(item)),
  })

  const linkTo = (address: string) => `<${address}>; rel="next"`

  test.each([
    linkTo('http://elsewhere.example/other?limit=2&cursor=abc'),
    '<?limit=2&cursor=abc>; rel=next',
    `<https://api.example.com/v1/cats?cursor=no>; rel="successor-version", ${linkTo('?cursor=abc')}`,
  ])('requests the next page from the base address only: link %s', async (link) => {
    const api = await serve(
      page([4, 3], link),
      page([2], '</v1/cats?cursor=no>; rel="successor-version"'),
    )

    const items = await Array.fromAsync(createClient(api)[example.list]({ limit: 2 }))

    expect(items).toEqual([4, 3, 2].map(item))
    expect(api.requests.map((each) => each.path)).toEqual([
      `${service.basePath}${path}?limit=2`,
      `${service.basePath}${path}?limit=2&cursor=abc`,
    ])
  })

  test('requests no page before the reader gets there', async () => {
    const api = await serve(page([4, 3], linkTo('?cursor=abc')))
    const items = createClient(api)[example.list]()
    expect(await items.toArray({ max: 0 })).toEqual([])
    expect(api.requests).toEqual([])

    expect(await items.toArray({ max: 2 })).toEqual([item(4), item(3)])

    expect(api.requests).toHaveLength(1)
  })

  test.each<[string, ...FakeResponse[]]>([
    ['has the cursor of its own page', page([2], linkTo('?cursor=abc'))],
    ['follows an empty page', page([], linkTo('?cursor=def'))],
    ['has no cursor', page([2], linkTo('?limit=2'))],
    [
      'leads back to an earlier page',
      page([2], linkTo('?cursor=def')),
      page([1], linkTo('?cursor=abc')),
    ],
  ])('ends with an error when the link to the next page %s', async (_, ...others) => {
    const api = await serve(page([4, 3], linkTo('?cursor=abc')), ...others)

    const error = await failureOf(list(createClient(api)))

    const message = 'The link to the next page is invalid. Check baseUrl and any proxy.'
    expect(error).toMatchObject({ code: 'unexpected_answer', status: 200, message })
    expect(api.requests).toHaveLength(1 + others.length)
  })

  test('can be read again, and page by page; it sends neither undefined parameters nor two slashes', async () => {
    const api = await serve(
      page([4], linkTo('?cursor=a%3D')),
      page([]),
      page([3], linkTo('?cursor=abc')),
      page([2]),
    )
    const client = createClient({ ...api, baseUrl: `${api.baseUrl}//` })
    const items = client[example.list]({ cursor: 'x=', limit: undefined })

    expect(await Array.fromAsync(items)).toEqual([item(4)])
    expect(await Array.fromAsync(items.pages())).toEqual([
      { items: [item(3)], nextCursor: 'abc' },
      { items: [item(2)], nextCursor: undefined },
    ])
    const cursors = ['x%3D', 'a%3D', 'x%3D', 'abc']
    expect(api.requests.map((each) => each.path)).toEqual(
      cursors.map((cursor) => `${service.basePath}${path}?cursor=${cursor}`),
    )
  })
})

test('sends each value of a list, exact digits, escaped parameters, and headers', () => {
  const entry = {
    ...contract[example.list],
    path: '/cats/{id}/toys/{toy}',
    params: v.object({ id: Int64Text, toy: v.string() }),
    query: v.object({ tag: v.array(v.string()), max: v.optional(v.string()) }),
    headers: v.object({ 'Accept-Language': v.string() }),
  } as const
  const input = {
    id: 2n ** 53n,
    toy: 'a/..',
    tag: ['a&b', 'c'],
    max: undefined,
    'Accept-Language': 'de',
  }

  const request = newRequest(entryRoute(entry), input)

  const sent = [request.path, ...request.init.headers]
  expect(sent).toEqual([
    '/cats/9007199254740992/toys/a%2F..?tag=a%26b&tag=c',
    ['accept-language', 'de'],
  ])
})

test('takes the options of an operation only', async () => {
  const api = await serve({ status: 204 })
  const client = createClient(api)

  // @ts-expect-error: a list has no idempotency key.
  await failureOf(client[example.list]({}, { idempotencyKey: 'k' }).toArray())
  // @ts-expect-error: a create depends on no revision.
  await failureOf(client[example.create](example.body(), { ifMatch: '"a"' }))

  const headers = api.requests.map((each) => [
    each.headers['idempotency-key'],
    each.headers['if-match'],
  ])
  expect(headers).toEqual([
    [undefined, undefined],
    [expect.any(String), undefined],
  ])
})

type Refused = [message: string, type: unknown, call: (client: Client) => Promise<unknown>]
const ROUNDED = 'may already have been rounded. Pass an integer beyond 2^53 - 1 as a bigint.'
const TEXT: string = example.text
const NUMBER = 'cannot be sent, because JSON has no such number.'
const PATH = 'id must not be empty, "." or "..", which address other paths.'
const MISSING = 'id is missing. Pass it as { id: … }.'
const VISIBLE = 'must be a string of visible ASCII characters.'
const keyed = (idempotencyKey: string) => (client: Client) =>
  client[example.create](example.body(), { idempotencyKey })
const one: Route = {
  ...entryRoute(contract[example.list]),
  path: '/cats/{id}',
  flags: ['conditional'],
}
const requestOfOne = (id: unknown, ifMatch?: string) => async () =>
  newRequest(one, { id }, { ifMatch })
// As JavaScript programs can.
const requestOfNumber = async () => newRequest(one, 5 as unknown as object)

test.each<Refused>([
  ...[2 ** 53, -(2 ** 53)].map((id): Refused => [`${id} ${ROUNDED}`, RangeError, requestOfOne(id)]),
  [`-Infinity ${NUMBER}`, TypeError, requestOfOne(-Infinity)],
  [
    `1e+300 ${ROUNDED}`,
    RangeError,
    (client) => client[example.create]({ ...example.body(), [TEXT]: 1e300 }),
  ],
  [
    `NaN ${NUMBER}`,
    TypeError,
    (client) => client[example.create]({ ...example.body(), [TEXT]: Number.NaN }),
  ],
  ...['', '.', '..'].map((id): Refused => [PATH, TypeError, requestOfOne(id)]),
  ...[undefined, null].map((id): Refused => [MISSING, TypeError, requestOfOne(id)]),
  [MISSING, TypeError, requestOfNumber],
  ...['', 'a b', 'a\nb', 'é'].map(
    (key): Refused => [`idempotencyKey ${VISIBLE}`, TypeError, keyed(key)],
  ),
  [`ifMatch ${VISIBLE}`, TypeError, requestOfOne(1, '"a"\n')],
])('sends nothing that would be read differently: %s', async (message, type, call) => {
  const api = await serve('cut')

  const error: unknown = await call(createClient(api)).catch((thrown) => thrown)

  expect(error).toBeInstanceOf(type)
  expect(error).toHaveProperty('message', message)
  expect(api.requests).toEqual([])
})

const html: FakeResponse = {
  status: 404,
  headers: { 'Content-Type': 'text/html' },
  body: '<html>Not here</html>',
}
const bomb = {
  status: 200,
  headers: { 'Content-Encoding': 'gzip' },
  body: gzipSync(`[${' '.repeat(10_000_000)}]`),
}

test.each<[string, Fate, number, (client: Client) => Promise<unknown>]>([
  ['the error page of a proxy', html, 404, create],
  ['other JSON', { status: 403, body: '{"message":"Forbidden"}' }, 403, create],
  ['nothing', { status: 201 }, 201, create],
  ['an object instead of a list', { status: 200, body: '{"login":"/"}' }, 200, list],
  ['a resource without an id', { status: 201, body: '{"error":"Busy"}' }, 201, create],
  ['without end', 'endless', 200, create],
  ['a small response that is large when it is decompressed', bomb, 200, list],
])('says that a response is not from the service: %s', async (_, response, status, call) => {
  const api = await serve(response)

  const error = await failureOf(call(createClient(api)))

  const message = `The response (${status}) is not from the API. Check baseUrl and any proxy. Redirects are not followed.`
  expect(error).toMatchObject({ code: 'unexpected_answer', status, message })
  expect(api.requests).toHaveLength(1)
})

describe('the API key', () => {
  const apiKey = newApiKey('local')
  const body = JSON.stringify({ code: apiKey, message: apiKey })
  const echoed = { status: 400, headers: { 'X-Request-Id': apiKey }, body }

  test('goes to no other address, because a redirect is not followed', async () => {
    const elsewhere = await serve({ status: 200, body: '[]' })
    const api = await serve({ status: 307, headers: { Location: elsewhere.baseUrl } })

    const error = await failureOf(create(createClient(api)))

    expect(error).toMatchObject({ code: 'unexpected_answer', status: 307 })
    expect([api.requests.length, elsewhere.requests.length]).toEqual([1, 0])
  })

  test('is hidden in the reason why there was no response', async () => {
    const fetch = () =>
      Promise.reject(new TypeError('fetch failed', { cause: new Error(`read ${apiKey}`) }))

    const error = await failureOf(
      create(createClient({ baseUrl: 'http://a', apiKey, fetch, attempts: 1 })),
    )

    expect(error.message).toBe('No response from http://a: read <API key>.')
  })

  test.each<Fate>(['echo', echoed])('is in no error: %j', async (fate) => {
    const client = createClient({ ...(await serve(fate)), apiKey, attempts: 1 })

    const error = await failureOf(create(client))

    expect(inspect([client, error], { depth: null, showHidden: true })).not.toContain(apiKey)
  })
})

// As JavaScript programs can.
const creation = (baseUrl: unknown, apiKey: unknown) => () =>
  createClient({ baseUrl, apiKey } as ClientOptions)

test.each([
  undefined,
  '/v1',
  'a:3000/v1',
  'file:///v1',
  'http://a?x=1',
  'http://a/#x',
  'http://a b',
])('is not created with the address %s', (baseUrl) => {
  const message = 'baseUrl must be the address of the API, such as https://api.example.com/v1.'
  expect(creation(baseUrl, 'k')).toThrow(new TypeError(message))
})

test.each([undefined, '', 'Bearer a', 'a\n', '→'])('is not created with the key %j', (apiKey) => {
  const message = 'apiKey must be a string of visible ASCII characters, without Bearer.'
  expect(creation('http://a', apiKey)).toThrow(new TypeError(message))
})

test('shows each response of a call, and all of an error as JSON', async () => {
  const headers = { 'X-Request-Id': 'abc', 'Retry-After': '0' }
  const body = JSON.stringify({ code: 'not_found', message: example.notFound(1), status: 404 })
  const api = await serve({ status: 503, headers, body: '' }, { status: 404, headers, body })
  const seen: unknown[] = []
  const onResponse = ({ status, headers }: { status: number; headers: Headers }) =>
    seen.push([status, headers.get('X-Request-Id')])

  const error = await failureOf(createClient(api)[example.list]({}, { onResponse }).toArray())

  expect(seen).toEqual([503, 404].map((status) => [status, 'abc']))
  const properties = { code: 'not_found', status: 404, requestId: 'abc', retryAfter: 0 }
  const json = { name: 'ServiceError', message: example.notFound(1), ...properties }
  expect(JSON.parse(JSON.stringify(error))).toEqual(json)
})
