import { randomUUID } from 'node:crypto'
import middy from '@middy/core'
import * as v from 'valibot'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { LOCAL_API_KEY } from '../../../infra/local/database/local-api-key.ts'
import { contract, entries, type OperationId, operationIds } from '../../../shared/contract.ts'
import { ApiError, conflict } from '../../../shared/model/api-error.ts'
import { newApiKey } from '../../../shared/model/api-key.ts'
import { Pet } from '../../../shared/pets/pet.ts'
import { storedPets } from '../../../shared/pets/stored-pets.ts'
import type { AnyEntry } from '../../../shared/pipeline/entry.ts'
import type { ProxyEvent, ProxyResult } from '../../../shared/pipeline/gateway-event.ts'
import { deprecation } from '../../../shared/pipeline/middleware/deprecation.ts'
import { operation } from '../../../shared/pipeline/operation.ts'
import { successResponse } from '../../../shared/pipeline/responses.ts'
import { type Scope, scopes, service } from '../../../shared/service.ts'
import { failAlways, failOnce, proxy, storedItems, storeKey } from '../../support/database.ts'
import { errorResponse, eventOf, responseTo, unavailable } from '../../support/events.ts'
import { canceled, databaseResponses } from '../../support/fault-proxy.ts'
import { context, errorLog, infoLog, invoke } from '../../support/invoke.ts'
import { newPet, petOf, storedPet } from '../../support/pets.ts'

const BUG = 'Something went wrong on our side. Report it with the X-Request-Id.'

const LOCAL_KEY = `Bearer ${LOCAL_API_KEY}`

const list = () => eventOf('listPets-no-parameters')
const withUnknownKey = () =>
  eventOf('listPets-no-parameters', { headers: { Authorization: `Bearer ${newApiKey('local')}` } })

const errorLine = (event: ProxyEvent, status: number, cause: unknown) => [
  'Request %s failed with status %d:',
  event.requestContext.extendedRequestId,
  status,
  cause,
]

afterEach(() => {
  vi.unstubAllEnvs()
  errorLog.mockClear()
})

describe('the request log', () => {
  const line = (event: ProxyEvent, operation: string, status: number) => ({
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

  test('has one line for each request, without a key, a header or a body', async () => {
    const created = { ...eventOf('createPet-created'), path: '/pets/' }
    const invalid = eventOf('createPet-created', { body: '{}' })
    const unauthorized = withUnknownKey()

    const { body } = await invoke(created)
    for (const event of [invalid, unauthorized]) await invoke(event)

    const ids = `${body.id}`
    expect(infoLog.mock.calls).toEqual([
      [{ ...line(created, 'createPet', 201), ...local, ids, coldStart: true }],
      [{ ...line(invalid, 'createPet', 400), ...local, code: 'bad_request' }],
      [{ ...line(unauthorized, 'listPets', 401), code: 'unauthorized' }],
    ])
    expect(errorLog).not.toHaveBeenCalled()
  })

  test.each([
    ['373117652410368', '373117652410368'],
    // Somebody may paste a key where an id belongs.
    [LOCAL_API_KEY, undefined],
  ])('has the id of the path %s only if it is an int64', async (id, ids) => {
    await invoke(eventOf('deletePet-deleted', { id }))

    expect(infoLog.mock.lastCall).toMatchObject([{ operation: 'deletePet' }])
    expect(Object(infoLog.mock.lastCall?.[0]).ids).toBe(ids)
  })

  test.each([
    [13, expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)],
    [15, undefined],
  ])('says of a key that ends in %d days whether that is soon', async (days, keyEnds) => {
    const expiresAt = Math.floor(Date.now() / 1000) + days * 86_400
    const Authorization = `Bearer ${await storeKey({ expiresAt })}`

    await invoke(eventOf('listPets-no-parameters', { headers: { Authorization } }))

    expect(Object(infoLog.mock.lastCall?.[0]).keyEnds).toEqual(keyEnds)
  })
})

// More refused keys are in test/api/authentication.test.ts.
test('the response is 401 for two Authorization headers that differ in case', async () => {
  const { status } = await invoke(
    eventOf('createPet-created', { headers: { authorization: LOCAL_KEY } }),
  )

  expect(status).toBe(401)
})

test('the response is 401 for a key that has expired, and the log says whose it is', async () => {
  const Authorization = `Bearer ${await storeKey({ expiresAt: 1_600_000_000 })}`

  const expired = await invoke(eventOf('listPets-no-parameters', { headers: { Authorization } }))
  const unknown = await invoke(withUnknownKey())

  expect(expired).toEqual(unknown)
  const logged = { status: 401, code: 'unauthorized', keyId: 'key-1', clientId: 'ann' }
  expect(infoLog.mock.calls.at(-2)).toEqual([expect.objectContaining(logged)])
})

describe('the scopes of the API key', () => {
  /** A request with a new key of these scopes, whose body is malformed. */
  const requestWith = async (scopes?: readonly Scope[]) => {
    const Authorization = `Bearer ${await storeKey({ scopes })}`
    return eventOf('createPet-created', { headers: { Authorization }, body: '{' })
  }
  const run = () => Promise.reject(new ApiError(404, 'Made by the test.'))

  test.each([
    { scopes: undefined, allowed: [] },
    { scopes, allowed: operationIds },
    { scopes: [], allowed: [] },
    ...scopes.map((scope) => ({
      scopes: [scope],
      allowed: operationIds.filter((id) => entries[id].scope === scope),
    })),
  ])('a key with the scopes $scopes allows $allowed', async ({ scopes, allowed }) => {
    const invoke = async (id: OperationId) => operation(id, run)(await requestWith(scopes), context)

    const responses = await Promise.all(operationIds.map(invoke))

    expect(operationIds.filter((_, i) => responses[i]?.statusCode !== 403)).toEqual(allowed)
  })

  test('a key that only reads gets a 403 for a change', async () => {
    const event = await requestWith(['pets:read'])

    const response = await invoke(event)

    const message = 'This API key does not allow the operation. It needs the scope pets:write.'
    const reason = 'error="insufficient_scope", scope="pets:write"'
    const challenge = `Bearer realm="${service.name}", ${reason}`
    expect(response).toEqual(
      responseTo(
        event,
        errorResponse(403, 'forbidden', message, { 'WWW-Authenticate': challenge }),
      ),
    )
    const logged = { status: 403, code: 'forbidden', keyId: 'key-1', clientId: 'ann' }
    expect(infoLog.mock.lastCall).toEqual([expect.objectContaining(logged)])
  })
})

// Faults at each call are in test/faults/requests.test.ts.
test('the response is 503 while DynamoDB is unavailable, and the log has the cause', async () => {
  const event = withUnknownKey()
  failAlways('cut')

  const response = await invoke(event)

  expect(response).toEqual(responseTo(event, unavailable))
  expect(errorLog.mock.calls).toEqual([
    errorLine(event, 503, expect.stringMatching(/^\w*Error: .+$/)),
  ])
  expect(infoLog.mock.lastCall).toEqual([
    expect.objectContaining({ status: 503, code: 'service_unavailable' }),
  ])
})

describe('a bug', () => {
  test('is a 500 with its cause in the log, also after a conflict of transactions', async () => {
    const refuse = operation('deletePet', async ({ tx }) => {
      for (const id of [1, 2]) await storedPets.find(tx, id)
      throw conflict('Made by the test.')
    })
    const { accessDenied } = databaseResponses
    failOnce({
      TransactGetItems: canceled('TransactionConflict', 'None'),
      TransactWriteItems: accessDenied,
    })
    const event = eventOf('deletePet-deleted', { headers: { 'Idempotency-Key': randomUUID() } })

    const { statusCode } = await refuse(event, context)

    expect(statusCode).toBe(500)
    expect(proxy.counts).toMatchObject({ TransactGetItems: 2, TransactWriteItems: 1 })
    const cause = expect.objectContaining({ name: 'AccessDeniedException' })
    expect(errorLog.mock.calls).toEqual([errorLine(event, 500, cause)])
  })

  test.each([
    ['an error', new TypeError('secret is not a function')],
    ['undefined', undefined],
  ])('that throws %s is a 500 without details', async (_, thrown) => {
    const event = list()

    const response = await operation('listPets', () => Promise.reject(thrown))(event, context)

    const body = JSON.stringify({ code: 'internal_server_error', message: BUG, status: 500 })
    expect(response).toMatchObject({ statusCode: 500, body })
    expect(errorLog.mock.calls).toEqual([errorLine(event, 500, thrown)])
  })
})

test('a 400 of an invalid request is not stored for its idempotency key', async () => {
  const before = await storedItems('idempotencyKeys')
  const headers = { 'Idempotency-Key': randomUUID() }

  const { status } = await invoke(eventOf('createPet-created', { headers, body: '{}' }))

  expect(status).toBe(400)
  expect(await storedItems('idempotencyKeys')).toEqual(before)
})

test('a success has the fields of its schema and no others, at any depth', () => {
  const fields = { pets: v.array(Pet), best: v.optional(Pet), last: v.optional(Pet) }
  const { body, ...updatePet } = contract.updatePet
  const entry: AnyEntry = { ...updatePet, method: 'POST', returns: v.object(fields) }
  const stored = { ...storedPet(1), hidden: 9 }
  // What breaks the schema is cut to it, too: another version may have stored it.
  const broken = { name: 7, status: 'gone' }
  const value = { id: 1, pets: [stored, { ...stored, ...broken }], best: stored, open: true }

  const response = successResponse(entry, list(), value)

  const pets = [petOf(1), { ...petOf(1), ...broken }]
  // Without an id, no ETag; without a body, a 200.
  expect(response).toEqual({ status: 200, body: JSON.stringify({ pets, best: petOf(1) }) })
})

test('a deprecated list keeps the link to its next page; links have https by default', async () => {
  const next = '<https://api.example.com/v1/pets?cursor=x>; rel="next"'
  const run = async (): Promise<ProxyResult> => ({
    statusCode: 200,
    headers: { Link: next },
    body: '[]',
  })
  const dates = { since: new Date('2026-11-20'), sunset: new Date('2030-12-05') }
  const handler = middy<ProxyEvent, ProxyResult>(run).use(
    deprecation({ ...dates, successor: '/pets' }),
  )
  const headersSent = { Host: 'pets.example.com', 'X-Forwarded-Proto': undefined }
  const event = eventOf('listPets-no-parameters', {
    headers: headersSent,
    requestContext: { path: '/pets' },
  })

  const { headers } = await handler(event, context)

  expect(headers).toEqual({
    Deprecation: '@1795132800', // 2026-11-20
    Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
    Link: `${next}, <https://pets.example.com/pets>; rel="successor-version"`,
  })
})

test.each([
  [100, 201, undefined],
  [101, 400, 'The body is nested too deeply.'],
  [20_000, 400, 'The body is nested too deeply.'], // It overflows the stack of the parser.
])('a request with a key and a body that is nested %d deep is a %d', async (depth, ...expected) => {
  const nested = '{"a":'.repeat(depth - 1) + 1 + '}'.repeat(depth - 1)
  const body = JSON.stringify(newPet()).replace('{', `{"nested":${nested},`)
  const event = eventOf('createPet-created', { body, headers: { 'Idempotency-Key': `${depth}` } })

  const response = await invoke(event)

  expect([response.status, response.body.message]).toEqual(expected)
})
