import { randomUUID } from 'node:crypto'
import middy from '@middy/core'
import * as v from 'valibot'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { LOCAL_API_KEY } from '../../../infra/local/database/credentials.ts'
import { contract, type OperationId, operationIds } from '../../../shared/contract.ts'
import { tableVariable } from '../../../shared/data/tables.ts'
import { ApiError } from '../../../shared/model/api-error.ts'
import { newApiKey } from '../../../shared/model/api-key.ts'
import { Id } from '../../../shared/model/id.ts'
import { stringifyJson } from '../../../shared/model/json.ts'
import { cursorAfter } from '../../../shared/model/paging.ts'
import type { Entry } from '../../../shared/pipeline/entry.ts'
import type { Event, Result } from '../../../shared/pipeline/http.ts'
import { deprecation } from '../../../shared/pipeline/middleware/deprecation.ts'
import { operation } from '../../../shared/pipeline/operation.ts'
import { pageResponse, successOf, successResponse } from '../../../shared/pipeline/responses.ts'
import { type Scope, scopes, service } from '../../../shared/service.ts'
import { call, context, error, info } from '../../support/call.ts'
import { always, storedItems, storeKey } from '../../support/database.ts'
import { errorResponse, eventOf, responseTo, unavailable } from '../../support/events.ts'
import { example } from '../../support/example.ts'

const BUG = 'Something went wrong on our side. Report it with the X-Request-Id.'

const LOCAL_KEY = `Bearer ${LOCAL_API_KEY}`

const { events, create } = example

const list = () => eventOf(events.list)
const withUnknownKey = () =>
  eventOf(events.list, { headers: { Authorization: `Bearer ${newApiKey('local')}` } })

const errorLine = (event: Event, status: number, cause: unknown) => [
  'Request %s failed with status %d:',
  event.requestContext.extendedRequestId,
  status,
  cause,
]

afterEach(() => {
  vi.unstubAllEnvs()
  error.mockClear()
})

describe('the request log', () => {
  const line = (event: Event, operation: string, status: number) => ({
    requestId: event.requestContext.extendedRequestId,
    operation,
    method: event.httpMethod,
    path: event.resource,
    version: '$LATEST',
    status,
    milliseconds: expect.any(Number),
    coldStart: false,
  })
  const local = { keyId: 'local', clientId: 'local' }

  test('has one line for each request, with these fields only: never a key, a header or a body', async () => {
    const created = { ...eventOf(events.create), path: `${example.path}/` }
    const invalid = eventOf(events.create, { body: JSON.stringify(example.invalid.body) })
    const unauthorized = withUnknownKey()

    for (const event of [created, invalid, unauthorized]) await call(event)

    expect(info.mock.calls).toEqual([
      [{ ...line(created, create, 201), ...local, coldStart: true }],
      [{ ...line(invalid, create, 400), ...local, code: 'bad_request' }],
      [{ ...line(unauthorized, example.list, 401), code: 'unauthorized' }],
    ])
    expect(error).not.toHaveBeenCalled()
  })

  test('has the request id that every event has, if there is none that clients cannot choose', async () => {
    const event = eventOf(events.list, { requestContext: { extendedRequestId: undefined } })

    const { headers } = await call(event)

    const { requestId } = event.requestContext
    expect(headers['X-Request-Id']).toBe(requestId)
    expect(info.mock.lastCall).toEqual([{ ...line(event, example.list, 200), ...local, requestId }])
  })
})

// More refused keys are in test/api/authentication.test.ts.
test.each([
  ['spelled alike', { Authorization: [LOCAL_KEY, LOCAL_KEY] }],
  ['that differ in case', { authorization: LOCAL_KEY }],
])('the response is 401 for two Authorization headers %s', async (_, headers) => {
  const { status } = await call(eventOf(events.create, { headers }))

  expect(status).toBe(401)
})

describe('the scopes of the API key', () => {
  /** A request with a new key of these scopes, whose body is malformed. */
  const requestWith = async (scopes?: readonly Scope[]) => {
    const Authorization = `Bearer ${await storeKey({ scopes })}`
    return eventOf(events.create, { headers: { Authorization }, body: '{' })
  }
  const run = () => Promise.reject(new ApiError(404, 'Made by the test.'))

  test.each([
    { scopes: undefined, allowed: [] },
    { scopes, allowed: operationIds },
    { scopes: [], allowed: [] },
    ...scopes.map((scope) => ({
      scopes: [scope],
      allowed: operationIds.filter((id) => contract[id].scope === scope),
    })),
  ])('a key with the scopes $scopes allows $allowed', async ({ scopes, allowed }) => {
    const call = async (id: OperationId) => operation(id, run)(await requestWith(scopes), context)

    const responses = await Promise.all(operationIds.map(call))

    expect(operationIds.filter((_, i) => responses[i]?.statusCode !== 403)).toEqual(allowed)
  })

  test('a key that only reads gets a 403 for a change', async () => {
    const event = await requestWith([example.scopes.read])

    const response = await call(event)

    const { write } = example.scopes
    const message = `This API key does not allow the operation. It needs the scope ${write}.`
    const challenge = `Bearer realm="${service.name}", error="insufficient_scope", scope="${write}"`
    expect(response).toEqual(
      responseTo(
        event,
        errorResponse(403, 'forbidden', message, { 'WWW-Authenticate': challenge }),
      ),
    )
    const logged = { status: 403, code: 'forbidden', keyId: 'key-1', clientId: 'ann' }
    expect(info.mock.lastCall).toEqual([expect.objectContaining(logged)])
  })
})

// Faults at each call are in test/faults/writes.test.ts.
test('the response is 503 while DynamoDB is unavailable, and the log has the cause', async () => {
  const event = withUnknownKey()
  always('cut')

  const response = await call(event)

  expect(response).toEqual(responseTo(event, unavailable))
  expect(error.mock.calls).toEqual([
    errorLine(event, 503, expect.stringMatching(/^\w*Error: .+ \(0 resends\)$/)),
  ])
  expect(info.mock.lastCall).toEqual([
    expect.objectContaining({ status: 503, code: 'service_unavailable' }),
  ])
})

describe('a bug', () => {
  test('is a 500 without details, and the log has the cause', async () => {
    const event = list()
    vi.stubEnv(tableVariable(example.table), 'NoSuchTable')

    const response = await call(event)

    expect(response).toEqual(responseTo(event, errorResponse(500, 'internal_server_error', BUG)))
    const cause = expect.objectContaining({ name: 'ResourceNotFoundException' })
    expect(error.mock.calls).toEqual([errorLine(event, 500, cause)])
  })

  test.each([
    ['an error', new TypeError('secret is not a function')],
    ['undefined', undefined],
    ['an object like an ApiError', { status: 418, body: { message: 'secret' }, headers: {} }],
  ])('that throws %s is a 500 without details', async (_, thrown) => {
    const event = list()

    const response = await operation(example.list, () => Promise.reject(thrown))(event, context)

    const body = JSON.stringify({ code: 'internal_server_error', message: BUG, status: 500 })
    expect(response).toMatchObject({ statusCode: 500, body })
    expect(error.mock.calls).toEqual([errorLine(event, 500, thrown)])
  })
})

describe('a response', () => {
  const of = (success: Entry['success'], result: unknown, pathParameters = {}) => {
    // Its flags fit each kind of success.
    const entry = { ...contract[example.create], etag: undefined, success } as Entry
    const event = { ...list(), pathParameters }
    return successResponse(event, { ...successOf(entry, event, result), isReplay: false })
  }
  const created = { status: 201, body: v.object({ id: Id }) } as const
  const revised = { resource: { id: 7 }, revision: 'x' }

  test('can have a body without a tag, or none', () => {
    expect(of({ status: 200, body: v.object({}) }, {})).toEqual({
      status: 200,
      headers: {},
      body: '{}',
    })
    expect(of({ status: 202 }, undefined)).toEqual({ status: 202, headers: {}, body: '' })
  })

  test('says where a new resource is, if an operation is there', () => {
    const Location = `${service.basePath}${example.path}/7`

    expect(of(created, revised)).toEqual({ status: 201, headers: { Location }, body: '{"id":7}' })
    expect(of({ ...created, location: '/cats' }, revised).headers).toEqual({})
  })

  test('of a list links to the next page with the parameters as they were sent, those that it knows', () => {
    const event = eventOf(events.list, {
      query: { limit: '5', size: ['1', '2'], other: 'a', cursor: 'b' },
    })
    const entry = {
      ...contract[example.list],
      query: v.object({ size: v.optional(v.array(v.string())) }),
    } as const

    const { headers } = pageResponse(entry, event, { items: [], next: 1 })

    expect(headers.Link).toContain(`?limit=5&size=1&size=2&cursor=${cursorAfter(1)}>`)
  })
})

describe('an operation with an idempotency key', () => {
  const keyed = () => eventOf(events.create, { headers: { 'Idempotency-Key': randomUUID() } })

  test('runs once, also if it writes nothing, and each retry gets its response', async () => {
    const event = keyed()
    const resource = example.resource(7)
    const run = vi.fn(async () => ({ resource, revision: 'a' }))
    const handler = operation(create, run)

    const responses = [
      await handler(structuredClone(event), context),
      await handler(structuredClone(event), context),
    ]

    const headers = { Location: `${service.basePath}${example.path}/7`, ETag: '"7-a"' }
    const [first, replay] = responses
    expect(first).toMatchObject({ statusCode: 201, headers, body: stringifyJson(resource) })
    expect(first?.headers).not.toHaveProperty('Idempotent-Replayed')
    expect(replay).toMatchObject({
      ...first,
      headers: { ...headers, 'Idempotent-Replayed': 'true' },
    })
    expect(run).toHaveBeenCalledTimes(1)
  })

  test('is a 500 whose log says so if its response cannot be stored, and has no effect', async () => {
    const resource = { ...example.resource(7), [example.text]: 'é'.repeat(204_000) }
    const before = await storedItems()
    const handler = operation(create, async ({ tx }) => {
      tx.put({ table: example.table, value: 7 }, example.item(7))
      return { resource, revision: 'a' }
    })

    const { statusCode } = await handler(keyed(), context)

    const bytes = Buffer.byteLength(stringifyJson(resource))
    const cause = new Error(
      `A response of ${create} has ${bytes} bytes. To be stored, it may have 407552.`,
    )
    expect([statusCode, error.mock.lastCall?.at(-1)]).toEqual([500, cause])
    expect(await storedItems()).toEqual(before)
  })
})

test('a function gets its caller, and can change nothing that it gets', async () => {
  const key = await storeKey({ clientId: 'bob' })
  const event = eventOf(events.create, { headers: { Authorization: `Bearer ${key}` } })
  const inputs: object[] = []
  const handler = operation(example.create, async ({ tx, ...input }) => {
    inputs.push(input)
    const { caller, body, headers, settings } = input
    expect([caller, caller.scopes, body, headers, settings].every(Object.isFrozen)).toBe(true)
    return { resource: example.resource(7), revision: tx.revision }
  })

  const { statusCode } = await handler(event, context)

  expect(statusCode).toBe(201)
  expect(inputs).toMatchObject([{ caller: { clientId: 'bob', keyId: 'key-1', scopes } }])
})

test('a page is shorter than its limit if a response cannot have all of it', async () => {
  const text = 'é'.repeat(100_000)
  const read = async ({ query }: { query: { limit: number } }) => ({
    items: Array.from({ length: query.limit }, (_, i) => ({
      ...example.resource(100 - i),
      [example.text]: text,
    })),
    next: 101 - query.limit,
  })

  const { headers, body } = await operation(example.list, read)(
    eventOf(events.list, { query: { limit: '60' } }),
    context,
  )

  expect(JSON.parse(body)).toHaveLength(15)
  expect(headers.Link).toContain(`limit=60&cursor=${cursorAfter(86)}`)
})

test('a deprecated list keeps the link to its next page, and links with https by default', async () => {
  const next = '<https://api.example.com/v1/toys?cursor=x>; rel="next"'
  const run = async (): Promise<Result> => ({
    statusCode: 200,
    headers: { Link: next },
    body: '[]',
  })
  const dates = { since: new Date('2026-11-20'), sunset: new Date('2030-12-05') }
  const handler = middy<Event, Result>(run).use(deprecation({ ...dates, successor: '/games' }))
  const headersSent = { Host: 'toys.example.com', 'X-Forwarded-Proto': undefined }
  const event = eventOf(events.list, {
    headers: headersSent,
    requestContext: { path: example.path },
  })

  const { headers } = await handler(event, context)

  expect(headers).toEqual({
    Deprecation: '@1795132800', // 2026-11-20
    Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
    Link: `${next}, <https://toys.example.com/games>; rel="successor-version"`,
  })
})

test('a body that is nested deeply is a 400 or a success, with a key, too', async () => {
  const statuses = new Set<number>()

  for (let depth = 1000; depth < 4000; depth += 500) {
    const nested = '{"a":'.repeat(depth) + 1 + '}'.repeat(depth)
    const body = JSON.stringify(example.body()).replace('{', `{"nested":${nested},`)
    const event = eventOf(events.create, { body, headers: { 'Idempotency-Key': `${depth}` } })
    statuses.add((await call(event)).status)
  }

  expect([...statuses]).toEqual([201, 400])
})
