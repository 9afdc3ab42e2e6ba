import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  type Client,
  type ClientOptions,
  createClient,
  etagOf,
} from '../../../infra/client/client.ts'
import { newRequest, type Route } from '../../../infra/client/request.ts'
import { type Send, sender } from '../../../infra/client/send.ts'
import { gatewayResponses } from '../../../infra/gateway.ts'
import { stringifyJson } from '../../../shared/model/json.ts'
import { service } from '../../../shared/service.ts'
import { example, has } from '../../support/example.ts'
import { error, type FakeResponse, type Fate, serve } from '../../support/fake-api.ts'

const { path } = example
const given = example.body()
const saved = { id: 1, ...given }
const created = { status: 201, body: stringifyJson(saved) }
const create = (client: Client) => client[example.create](given)
const route = { path: '/a', query: [], headers: [], status: 204, result: 'nothing' as const }

// Without a random part, there is no wait before a retry.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

describe('the client retries', () => {
  test.each<[string, Fate]>([
    ['a broken connection', 'cut'],
    ['a broken response', 'cutResponse'],
    ['a 429', error(429, { 'Retry-After': '0' })],
    ['a 502', error(502)],
    [
      "a proxy's 503",
      { status: 503, headers: { 'Content-Type': 'text/html' }, body: '<html>Busy</html>' },
    ],
  ])('a create after %s with the same idempotency key', async (_, fate) => {
    const api = await serve(fate, created)

    const result = await create(createClient(api))

    expect(result).toEqual(saved)
    const [first, again, ...more] = api.requests
    const body = stringifyJson(given)
    expect(again).toMatchObject({ method: 'POST', path: service.basePath + path, body })
    expect(again?.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: `Bearer ${api.apiKey}`,
    })
    expect(again?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/)
    expect([first?.body, first?.headers['idempotency-key']]).toEqual([
      body,
      again?.headers['idempotency-key'],
    ])
    expect(more).toEqual([])
  })

  test.each([400, 401, 404, 408, 409, 412, 413, 422, 500])('nothing after a %d', async (status) => {
    const api = await serve(error(status))

    const call = create(createClient(api))

    await expect(call).rejects.toMatchObject({
      code: 'made_up',
      message: 'Made by the test.',
      status,
    })
    expect(api.requests).toHaveLength(1)
  })

  test.each<[string, number, Fate]>([
    ['POST', 1, 'cut'],
    ['POST', 2, error(429)],
    ['PUT', 2, 'cut'],
  ])(
    'a %s without an idempotency key if it is safe: %d requests for %j',
    async (method, requests, fate) => {
      const api = await serve(fate, { status: 204 })
      const request = newRequest({ ...route, method, flags: [] }, {})

      await Promise.allSettled([sender(api)(request, {})])

      expect(api.requests).toHaveLength(requests)
    },
  )
})

test.each([202, 204])('a %d without a body is a success, but not with one', async (status) => {
  const api = await serve({ status }, { status: 202, body: '{"a":1}' })
  const request = newRequest({ ...route, status, method: 'POST', flags: [] }, {})

  const { content } = await sender(api)(request, {})

  expect(content).toBeUndefined()
  await expect(sender(api)(request, {})).rejects.toMatchObject({ code: 'unexpected_answer' })
})

describe('on a clock that jumps to the next timer, the client', () => {
  const clientOf = (options: Partial<ClientOptions>): Client => {
    vi.useFakeTimers({ now: 0 }).setTimerTickMode('nextTimerAsync')
    onTestFinished(() => void vi.useRealTimers())
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    return createClient({ baseUrl: 'http://a', apiKey: 'k', ...options })
  }

  test.each<[string | undefined, Partial<ClientOptions>, number[]]>([
    [undefined, {}, [0, 100, 300, 700, 1500]],
    ['soon', { attempts: 3 }, [0, 100, 300]],
    ['1', {}, [0, 1100, 2300, 3700, 5500]],
    ['29', {}, [0, 29_100]],
    ['1', { maxWaitSeconds: 1.05 }, [0]],
  ])(
    'waits longer each time, and as Retry-After says: %s, %j',
    async (seconds, options, expected) => {
      const times: number[] = []
      const fetch = async () => {
        times.push(Date.now())
        return Response.json(
          {},
          { status: 503, headers: seconds ? { 'Retry-After': seconds } : {} },
        )
      }

      const call = create(clientOf({ fetch, ...options }))

      await expect(call).rejects.toMatchObject({
        status: 503,
        retryAfter: Number(seconds) || undefined,
      })
      expect(times).toEqual(expected)
    },
  )

  const noAnswer = {
    code: 'no_answer',
    message: 'No response from http://a: timeout after 30 seconds.',
    status: 0,
  }
  test.each([
    [undefined, 29, saved],
    [undefined, 31, noAnswer],
    [Number.POSITIVE_INFINITY, 3600, saved],
  ])(
    'waits within the time limit of %s for a response that takes %d seconds',
    async (limit, seconds, expected) => {
      const fetch: typeof globalThis.fetch = async (_, init) => {
        await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
        init?.signal?.throwIfAborted()
        return new Response(created.body, created)
      }

      const result = await create(clientOf({ fetch, attempts: 1, timeoutSeconds: limit })).catch(
        (error) => error.toJSON(),
      )

      expect(result).toMatchObject(expected)
      expect(vi.getTimerCount()).toBe(0) // Otherwise the program would not end.
    },
  )
})

test.runIf(has.change)('sends the tag of what was returned', async () => {
  const tags = ['"a"', '"b"'].map((ETag) => ({ ETag }))
  const api = await serve(
    { ...created, headers: tags[0] },
    { ...created, status: 200, headers: tags[1] },
  )
  const client = createClient(api)
  const { operation, body } = example.change

  const first = await create(client)
  const options = { ifMatch: etagOf(first) }
  const changed = await Object(client)[operation]({ [example.parameter]: 1, ...body }, options)

  expect(api.requests.map(({ headers }) => headers['if-match'])).toEqual([undefined, '"a"'])
  expect(api.requests[1]?.body).toBe(JSON.stringify(body))
  expect(etagOf(changed)).toBe('"b"')
  expect(() => etagOf({ ...first })).toThrow(
    'This has no tag: it is an item of a list, or a copy of a result.',
  )
})

const removal: Route = { ...route, method: 'DELETE', flags: ['conditional'] }
const remove = (send: Send) => send(newRequest(removal, {}), {})
const removeIf = (send: Send) => send(newRequest(removal, {}, { ifMatch: '"a"' }), {})
const errorOf = (status: number, code: string): FakeResponse => ({
  status,
  body: JSON.stringify({ code, message: code }),
})
const gone = errorOf(404, 'not_found')
const noPath = { status: 404, body: JSON.stringify(gatewayResponses.notFound.body) }
const proxys404 = { status: 404, body: '<html>Not here</html>' }

test.each<[string, string, (send: Send) => Promise<unknown>, ...Fate[]]>([
  ['a delete succeeds', 'no response and a 404', remove, 'cut', gone],
  ['a delete succeeds', 'a 504, a 429 and a 404', remove, error(504), error(429), gone],
  [
    'a delete throws not_found',
    'a 404 after a 429, which deletes nothing',
    remove,
    error(429),
    gone,
  ],
  ['a delete throws unexpected_answer', "no response and a proxy's 404", remove, 'cut', proxys404],
  [
    'a delete throws unknown_outcome',
    'no response and the 404 of a wrong path',
    remove,
    'cut',
    noPath,
  ],
  ['a delete with a tag throws unknown_outcome', 'no response and a 404', removeIf, 'cut', gone],
])('%s after %s', async (expected, _, call, ...fates) => {
  const api = await serve(...fates)

  const outcome = await call(sender(api))
    .then(() => 'succeeds')
    .catch(({ code }) => `throws ${code}`)

  expect(expected).toContain(outcome)
  expect(api.requests).toHaveLength(fates.length)
})

const statuses = [400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 500, 502, 503, 504]
const certain = [400, 413, 415, 502, 503, 504]

test.each<[string, string, Fate, number[]]>([
  ...['PUT', 'PATCH', 'DELETE', 'POST'].flatMap((method): [string, string, Fate, number[]][] => [
    [method, 'no response', 'cut', certain],
    [method, 'a 503', error(503), certain],
    [method, 'a 429', error(429), statuses],
  ]),
  ['GET', 'no response', 'cut', statuses],
])(
  'a %s that is retried after %s throws the errors that are certain as they are',
  async (method, _, first, expected) => {
    const request = newRequest({ ...route, method, flags: ['idempotent'] }, {})

    const thrown = statuses.map(async (status) => {
      const api = await serve(first, error(status))
      return sender({ ...api, attempts: 2 })(request, {}).catch((error) => error)
    })

    const asItIs = { code: 'made_up', message: 'Made by the test.' }
    const message = `An earlier attempt may have taken effect, or may still be running. Wait ten seconds, and read again. The retry got: ${asItIs.message}`
    const codeOf = (status: number) =>
      expected.includes(status) ? asItIs : { code: 'unknown_outcome', message }
    expect(await Promise.all(thrown)).toMatchObject(
      statuses.map((status) => ({ status, ...codeOf(status) })),
    )
  },
)

describe('a signal ends a call', () => {
  const reason = new Error('The test has seen enough.')

  test('while it waits for the response', async () => {
    const api = await serve('silence')
    const controller = new AbortController()

    const call = createClient({ ...api, attempts: 1 })[example.create](given, {
      signal: controller.signal,
    })
    await expect.poll(() => api.requests.length).toBe(1)
    controller.abort(reason)

    await expect(call).rejects.toBe(reason)
    expect(api.requests).toHaveLength(1)
  })

  test('while it waits to retry, and before it is sent', async () => {
    const api = await serve(error(503, { 'Retry-After': '3600' }))
    const controller = new AbortController()
    const onResponse = () => void setTimeout(() => controller.abort(reason))

    const options = { signal: controller.signal, onResponse }
    const call = createClient({ ...api, maxWaitSeconds: 9999 })[example.create](given, options)

    await expect(call).rejects.toBe(reason)
    await expect(createClient(api)[example.create](given, options)).rejects.toBe(reason)
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
    expect(api.requests).toHaveLength(1)
  })
})
