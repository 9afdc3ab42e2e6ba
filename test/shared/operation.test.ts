import middy from '@middy/core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { contract, type OperationId, operationIds } from '../../shared/contract.ts'
import type { Event, Result } from '../../shared/http.ts'
import { deprecation } from '../../shared/middleware/deprecation.ts'
import { ApiError } from '../../shared/model/api-error.ts'
import { newApiKey, type Scope, scopes } from '../../shared/model/api-key.ts'
import { operation } from '../../shared/operation.ts'
import { call, context, error, info } from '../support/call.ts'
import { always, storedPets, storeKey } from '../support/database.ts'
import { errorResponse, eventOf, responseTo, unauthorized, unavailable } from '../support/events.ts'

const NO_KEY = 'Bearer realm="pet-store"'
const INVALID_KEY = 'Bearer realm="pet-store", error="invalid_token"'
const BUG = 'Something went wrong on our side. Report it with the X-Request-Id.'

/** Requests of operations that use the database in different ways. */
const requests = ['listPets-no-parameters', 'createPet-created', 'updatePet-changed', 'deletePet-deleted']

const list = () => eventOf('listPets-no-parameters')
const listWith = (Authorization: string) => eventOf('listPets-no-parameters', { headers: { Authorization } })
const withUnknownKey = () => listWith(`Bearer ${newApiKey('local')}`)
const withoutKey = { headers: { Authorization: undefined } }

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
    const created = eventOf('createPet-created')
    const invalid = eventOf('createPet-created', { body: '{"name":"Rex"}' })
    const unknown = eventOf('deletePet-deleted', { petId: '8' })
    const unauthorized = withUnknownKey()

    for (const event of [created, invalid, unknown, unauthorized]) await call(event)

    const lines = info.mock.calls
    expect(lines).toEqual([
      [{ ...line(created, 'createPet', 201), ...local, coldStart: true }],
      [{ ...line(invalid, 'createPet', 400), ...local, code: 'bad_request' }],
      [{ ...line(unknown, 'deletePet', 404), ...local, code: 'not_found' }],
      [{ ...line(unauthorized, 'listPets', 401), code: 'unauthorized' }],
    ])
    expect(JSON.stringify(lines)).not.toMatch(/pet_local|Rex|Bearer/)
    expect(error).not.toHaveBeenCalled()
  })

  test.each([
    ['that clients cannot choose', {}, 'eFs8g5b7ALNumUU='],
    ['that every event has', { extendedRequestId: undefined }, '785b3c83-96fb-40b3-ae99-45d170db47f5'],
  ])('has the request id of the response: the one %s', async (_, requestContext, requestId) => {
    const event = eventOf('listPets-no-parameters', { requestContext })

    const { headers } = await call(event)

    expect(headers['X-Request-Id']).toBe(requestId)
    expect(info.mock.lastCall).toEqual([{ ...line(event, 'listPets', 200), ...local, requestId }])
  })
})

// test/api/authentication.test.ts has more cases.
test.each([
  ['there is no key', eventOf('createPet-created', withoutKey), NO_KEY],
  [
    'there is no key, and a query is invalid',
    eventOf('listPets-no-parameters', { ...withoutKey, query: { limit: '0' } }),
    NO_KEY,
  ],
  ['there are two Authorization headers', eventOf('createPet-two-tokens'), NO_KEY],
  ['the two differ in case', eventOf('createPet-created', { headers: { authorization: 'a' } }), NO_KEY],
  ['the key is unknown', withUnknownKey(), INVALID_KEY],
])('the response is 401 if %s', async (_, event, challenge) => {
  const before = await storedPets()

  const response = await call(event)

  expect(response).toEqual(responseTo(event, unauthorized(challenge)))
  expect(await storedPets()).toEqual(before)
})

describe('the scopes of the API key', () => {
  /** A request with a new key of these scopes, whose body is malformed. */
  const requestWith = async (scopes?: readonly Scope[]) => {
    const Authorization = `Bearer ${await storeKey({ scopes })}`
    return eventOf('createPet-created', { headers: { Authorization }, body: '{' })
  }
  const run = () => Promise.reject(new ApiError(404, 'not_found', 'Made by the test.'))

  test.each([
    { scopes: undefined, allowed: operationIds }, // A key of an earlier release.
    { scopes, allowed: operationIds },
    { scopes: [], allowed: [] },
    ...scopes.map((scope) => ({ scopes: [scope], allowed: operationIds.filter((id) => contract[id].scope === scope) })),
  ])('a key with the scopes $scopes allows $allowed', async ({ scopes, allowed }) => {
    const call = async (id: OperationId) => operation(id, run)(await requestWith(scopes), context)

    const responses = await Promise.all(operationIds.map(call))

    expect(operationIds.filter((_, i) => responses[i]?.statusCode !== 403)).toEqual(allowed)
  })

  test.each(['createPet', 'updatePet', 'deletePet'] as const)('%s is a 403 with a key that only reads', async (id) => {
    const event = await requestWith(['pets:read'])

    const response = await operation(id, run)(event, context)

    const message = 'This API key does not allow the operation. It needs the scope pets:write.'
    const challenge = 'Bearer realm="pet-store", error="insufficient_scope", scope="pets:write"'
    const expected = errorResponse(403, 'forbidden', message, { 'WWW-Authenticate': challenge })
    const { status, headers, body } = responseTo(event, expected)
    expect(response).toEqual({ statusCode: status, headers, body: JSON.stringify(body) })
    const logged = { status, code: 'forbidden', keyId: 'key-1', clientId: 'ann' }
    expect(info.mock.lastCall).toEqual([expect.objectContaining(logged)])
  })
})

// test/faults/outages.test.ts has the other ways in which it fails.
test.each([
  ...requests.map((name) => [name, eventOf(name)] as const),
  ['a key that cannot be checked', withUnknownKey()] as const,
])('the response is 503 while DynamoDB is unavailable: %s', async (_, event) => {
  await call(list()) // From now on, the local key is in the cache.
  always('cut')

  const response = await call(event)

  expect(response).toEqual(responseTo(event, unavailable))
  expect(error.mock.calls).toEqual([errorLine(event, 503, expect.objectContaining({ code: 'ECONNRESET' }))])
  expect(info.mock.lastCall).toEqual([expect.objectContaining({ status: 503, code: 'service_unavailable' })])
})

describe('a bug', () => {
  test.each(requests)('is a 500 without details, and the log has the cause: %s', async (name) => {
    const event = eventOf(name)
    vi.stubEnv('PETS_TABLE', 'NoSuchTable')

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

    const response = await operation('listPets', () => Promise.reject(thrown))(event, context)

    const { status, headers, body } = responseTo(event, errorResponse(500, 'internal_server_error', BUG))
    expect(response).toEqual({ statusCode: status, headers, body: JSON.stringify(body) })
    expect(error.mock.calls).toEqual([errorLine(event, 500, thrown)])
  })
})

test('an ApiError becomes a response with its status, headers and body', async () => {
  const event = list()
  const conflict = new ApiError(409, 'conflict', 'It was sold.', { headers: { Allow: 'GET' } })

  const response = await operation('listPets', () => Promise.reject(conflict))(event, context)

  const { headers } = responseTo(event, errorResponse(409, 'conflict', 'It was sold.', { Allow: 'GET' }))
  const body = '{"code":"conflict","message":"It was sold.","status":409}'
  expect(response).toEqual({ statusCode: 409, headers, body })
  expect(error).not.toHaveBeenCalled()
})

test.each([
  ['listPets-no-parameters', 'https://abcdef1234.execute-api.eu-central-1.amazonaws.com/v1/cats'],
  ['listPets-custom-domain-root', 'https://pets.example.com/cats'],
])(
  'a deprecated list keeps the link to its next page, and links with https by default: %s',
  async (name, successor) => {
    const next = '<https://api.example.com/v1/pets?cursor=x>; rel="next"'
    const run = async (): Promise<Result> => ({ statusCode: 200, headers: { Link: next }, body: '[]' })
    const dates = { since: new Date('2026-11-20'), sunset: new Date('2030-12-05') }
    const handler = middy<Event, Result>(run).use(deprecation({ ...dates, successor: '/cats' }))
    const event = eventOf(name, { headers: { 'X-Forwarded-Proto': undefined } })

    const { headers } = await handler(event, context)

    expect(headers).toEqual({
      Deprecation: '@1795132800', // 2026-11-20
      Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      Link: `${next}, <${successor}>; rel="successor-version"`,
    })
  },
)
