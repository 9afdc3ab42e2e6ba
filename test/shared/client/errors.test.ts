import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type Client, createClient, PetStoreError } from '../../../shared/client/client.ts'
import { allOf } from '../../support/all-of.ts'
import { errorBody, type Fate, serve } from './front.ts'

const failureOf = async (call: Promise<unknown>): Promise<PetStoreError> => {
  const error: unknown = await call.catch((thrown) => thrown)
  if (!(error instanceof PetStoreError)) throw new Error('Another outcome was expected.', { cause: error })
  return error
}

const html: Fate = { status: 404, headers: { 'Content-Type': 'text/html' }, body: '<html>Not here</html>' }

test('an error of the service is thrown with its code, message, status and request id', async () => {
  const message = 'Nothing is at this address.'
  const body = JSON.stringify({ code: 'not_found', message, status: 404 })
  const front = await serve([{ status: 404, headers: { 'X-Request-Id': 'abc=' }, body }])

  const error = await failureOf(createClient(front).pets.get(1))

  expect({ ...error }).toEqual({
    name: 'PetStoreError',
    code: 'not_found',
    status: 404,
    requestId: 'abc=',
    retryAfter: undefined,
  })
  expect(String(error)).toBe(`PetStoreError: ${message}`)
})

test.each<[string, Fate, number]>([
  ["a proxy's page", html, 404],
  ['a page that says to sign in', { ...html, status: 200 }, 200],
  ['JSON of another kind', { status: 403, body: '{"message":"Forbidden"}' }, 403],
  ['a success that is no object', { status: 200, body: '7' }, 200],
  ['nothing', { status: 204 }, 204],
])('an answer that is not of the service is an error of the same class: %s', async (_, fate, status) => {
  const front = await serve([fate])

  const error = await failureOf(createClient(front).pets.get(1))

  const message = `The answer (${status}) is not one of the pet store's. Check baseUrl, and what is on the way to it.`
  expect(error).toMatchObject({ code: 'unexpected_answer', status, message, requestId: undefined })
  expect(front.requests).toHaveLength(1)
})

test.each<[string, string, (client: Client) => Promise<unknown>]>([
  ['an object for a list', '{"login":"/"}', ({ pets }) => allOf(pets.list())],
  ['a list for a pet', '[]', ({ pets }) => pets.get(1)],
  ['another object for a pet', '{"login":"/"}', ({ pets }) => pets.create({ name: 'Rex', categoryId: 7 })],
])('a success that is not what was asked for is an error of the same class: %s', async (_, body, call) => {
  const front = await serve([{ status: 200, headers: { 'X-Request-Id': 'abc=' }, body }])

  const error = await failureOf(call(createClient(front)))

  expect(error).toMatchObject({ code: 'unexpected_answer', status: 200, requestId: 'abc=' })
  expect(front.requests).toHaveLength(1)
})

test('an API that is away is an error of the same class', async () => {
  const front = await serve(['cut'])

  const error = await failureOf(createClient({ ...front, attempts: 1 }).pets.get(1))

  expect(error).toMatchObject({ code: 'no_answer', status: 0, message: `No answer came from ${front.baseUrl}.` })
  expect(error.cause).toBeInstanceOf(TypeError)
})

describe('the API key', () => {
  const apiKey = 'pet_local_secret'

  test.each([301, 302, 303, 307, 308])('does not follow a redirect (%d)', async (status) => {
    const elsewhere = await serve([{ status: 200, body: '[]' }])
    const front = await serve([{ status, headers: { Location: elsewhere.baseUrl } }])

    const error = await failureOf(createClient({ ...front, apiKey }).pets.create({ name: 'Rex', categoryId: 7 }))

    expect(error).toMatchObject({
      code: 'unexpected_answer',
      status,
      message: expect.stringContaining('another address'),
    })
    expect(elsewhere.requests).toEqual([])
    expect(front.requests).toHaveLength(1)
  })

  test.each<Fate>(['cut', 'cutAnswer', html, { status: 503, body: errorBody(503) }, { status: 302 }])(
    'is in no error: %j',
    async (fate) => {
      const client = createClient({ ...(await serve([fate])), apiKey, attempts: 1 })

      const error = await failureOf(client.pets.get(1))

      expect(inspect([client, error], { depth: null, showHidden: true })).not.toContain('secret')
    },
  )

  test.each(['pet_local_secret\n', 'Bearer pet_local_secret', 'pet_local_secret→', ''])(
    'is refused without being shown where no header can hold it: %j',
    async (wrong) => {
      const client = () => createClient({ baseUrl: 'http://127.0.0.1/v1', apiKey: wrong })

      expect(client).toThrow(new TypeError('apiKey must be a string of visible ASCII characters.'))
    },
  )
})

test.each(['/v1', 'localhost:3000/v1', 'file:///v1', ''])('an address that is none is refused: %j', (baseUrl) => {
  expect(() => createClient({ baseUrl, apiKey: 'k' })).toThrow(TypeError)
})
