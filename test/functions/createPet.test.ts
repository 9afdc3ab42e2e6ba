import { describe, expect, test } from 'vitest'
import type { Event } from '../../shared/http.ts'
import { call, info } from '../support/call.ts'
import { storedPets } from '../support/database.ts'
import { eventOf } from '../support/events.ts'
import { badRequest, errorResponse, responseTo } from '../support/responses.ts'

const NAME = 'name must be a string of 1 to 1000 characters, not only white space, in valid Unicode'
const CATEGORY_ID =
  'categoryId must be a JSON number, without quotes: an integer from -9223372036854775808 to 9223372036854775807, in digits'
const STATUS = 'status must be one of available, pending, sold, or omitted'
const EXPECTED = `It must be a JSON object in which ${NAME}; ${CATEGORY_ID}; ${STATUS}.`
const MISSING = `The body is missing. ${EXPECTED}`
const NO_OBJECT = `The body is not a JSON object. ${EXPECTED}`
const KIB_256 = 262_144

const rex = { name: 'Rex', categoryId: 7, status: 'available' }
const longName = { ...rex, name: '🐕'.repeat(1000) }
const withBody = (body: string) => eventOf('createPet-created', { body })
const withHeaders = (headers: Record<string, string | string[] | undefined>) =>
  eventOf('createPet-created', { headers })
const inBase64 = (text: string | Buffer) =>
  eventOf('createPet-created', { body: Buffer.from(text).toString('base64'), isBase64Encoded: true })
const ofSize = (bytes: number) => '{"name":"Rex","categoryId":7,"status":"available"}'.padEnd(bytes)

/** Calls createPet, and expects this error response and no new pet. */
const expectRefusal = async (event: Event, expected: ReturnType<typeof errorResponse>) => {
  const before = await storedPets()

  const response = await call(event)

  expect(response).toEqual(responseTo(event, expected))
  expect(await storedPets()).toEqual(before)
}

test.each([
  ['JSON', eventOf('createPet-created'), rex],
  ['base64', eventOf('createPet-base64-body'), { ...rex, name: 'Zoë 🐕' }],
  ['lower-case header names', eventOf('createPet-lower-case-headers'), rex],
  ['a trailing slash in the path', eventOf('createPet-trailing-slash'), rex],
  ['a custom domain', eventOf('createPet-custom-domain'), rex],
  ['a charset', withHeaders({ 'Content-Type': 'application/json ; charset=UTF-8' }), rex],
  ['a JSON suffix', withHeaders({ 'Content-Type': 'application/vnd.example.pet+json' }), rex],
  ['no status', withBody('{"name":"Rex","categoryId":7}'), { name: 'Rex', categoryId: 7 }],
  ['repeated keys', withBody('{"name":"Max","name":"Rex","categoryId":6,"categoryId":7,"status":"available"}'), rex],
  ['an integer with a fraction of zero', withBody('{"name":"Rex","categoryId":7.0,"status":"available"}'), rex],
  ['256 KiB', withBody(ofSize(KIB_256)), rex],
  ['256 KiB, which take more in base64', inBase64(ofSize(KIB_256)), rex],
  ['a name of 4,000 bytes', withBody(JSON.stringify(longName)), longName],
])('returns 201 with the new pet for a request with %s', async (_, event, pet) => {
  const response = await call(event)

  const headers = { Location: `/v1/pets/${response.body.id}` }
  expect(response).toEqual(responseTo(event, { status: 201, headers, body: { id: expect.any(Number), ...pet } }))
})

test.each([
  [
    'no field that the client made up',
    '{"id":1,"name":"Rex","categoryId":7,"status":"sold","colour":"brown","creation":"mine","shard":7}',
    { name: 'Rex', categoryId: 7, status: 'sold', shard: 0, statusShard: 'sold#0' },
  ],
  ['no status', '{"name":"Rex","categoryId":7}', { name: 'Rex', categoryId: 7, shard: 0 }],
])('stores %s', async (_, text, fields) => {
  const { body } = await call(withBody(text))

  const stored = (await storedPets()).filter(({ id }) => id === body.id || id === 1)
  const creation = expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(stored).toEqual([{ id: body.id, ...fields, creation }])
})

test.each([
  ['only invalid fields', '{"name":7,"categoryId":"seven","status":"gone"}', `${NAME}; ${CATEGORY_ID}; ${STATUS}.`],
  ['no fields', '{}', 'name is missing; categoryId is missing.'],
  ['an invalid name', '{"name":"Rex \\ud83d","categoryId":7}', `${NAME}.`],
  ['an integer beyond int64', '{"name":"Rex","categoryId":9223372036854775808}', `${CATEGORY_ID}.`],
  ['a fraction that a double rounds', '{"name":"Rex","categoryId":899999999999999.99}', `${CATEGORY_ID}.`],
  ['the status null', '{"name":"Rex","categoryId":7,"status":null}', `${STATUS}.`],
  [
    'malformed JSON',
    '{"name":"Rex","categoryId":7,}',
    'The body is not valid JSON: Expected double-quoted property name in JSON at position 29 (line 1 column 30).',
  ],
  ['a key __proto__', '{"name":"Rex","categoryId":7,"__proto__":{}}', 'The body must not have the key __proto__.'],
  [
    'a key constructor.prototype',
    '{"name":"Rex","categoryId":7,"deep":{"constructor":{"prototype":1}}}',
    'The body must not have the key constructor.prototype.',
  ],
  [
    '100 KB of nesting',
    `{"name":"Rex","categoryId":7,"deep":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    'The body is nested too deeply.',
  ],
  ['null', 'null', NO_OBJECT],
  ['an array', '[{"name":"Rex","categoryId":7}]', NO_OBJECT],
  ['a string', '"Rex"', NO_OBJECT],
])('returns 400 with all rules that the body breaks: %s', async (_, body, message) => {
  await expectRefusal(withBody(body), badRequest(message))
})

test.each([
  ['no body', eventOf('createPet-no-body'), MISSING],
  ['no body and no Content-Type', eventOf('createPet-no-body', { headers: { 'Content-Type': undefined } }), MISSING],
  ['an empty body', withBody(''), MISSING],
  [
    'a body that is not UTF-8',
    inBase64(Buffer.from('{"name":"Zoë","categoryId":7}', 'latin1')),
    'The body is not valid UTF-8.',
  ],
])('returns 400 for %s', async (_, event, message) => {
  await expectRefusal(event, badRequest(message))
})

test.each([
  ['one byte more than 256 KiB', withBody(ofSize(KIB_256 + 1))],
  ['one byte more than 256 KiB in base64', inBase64(ofSize(KIB_256 + 1))],
  ['fewer characters but more bytes', withBody(`{"name":"Rex","categoryId":7,"note":"${'ë'.repeat(KIB_256 / 2)}"}`)],
])('returns 413 for a body of %s', async (_, event) => {
  await expectRefusal(event, errorResponse(413, 'payload_too_large', 'The body must not be larger than 256 KiB.'))
})

test.each([
  ['text', withHeaders({ 'Content-Type': 'text/plain' })],
  ['two types, of which the last counts', withHeaders({ 'Content-Type': ['application/json', 'text/plain'] })],
  ['no Content-Type', withHeaders({ 'Content-Type': undefined })],
])('returns 415 for %s', async (_, event) => {
  const message = 'Send the body as JSON, with the header Content-Type: application/json'
  await expectRefusal(event, errorResponse(415, 'unsupported_media_type', message))
})

describe('with an Idempotency-Key', async () => {
  const firstEvent = eventOf('createPet-idempotency-key')
  const first = await call(firstEvent)

  test('adds the pet', async () => {
    const { id } = first.body

    const stored = await storedPets()

    const headers = { Location: `/v1/pets/${id}` }
    expect(first).toEqual(responseTo(firstEvent, { status: 201, headers, body: { id: expect.any(Number), ...rex } }))
    expect(stored.find((pet) => pet.id === id)).toEqual({
      ...first.body,
      shard: 0,
      statusShard: 'available#0',
      creation: expect.stringMatching(/^[\da-f-]{36}$/),
      reservation: expect.stringMatching(/^[\da-f]{64}$/),
    })
  })

  test.each([
    ['the same request', {}],
    ['the key in quotes', { headers: { 'Idempotency-Key': '"order-1742"' } }],
    ['the same values in other JSON', { body: '{ "status": "available", "categoryId": 7.0, "name": "R\\u0065x" }' }],
  ])('returns the first pet again for %s, and logs the replay', async (_, changes) => {
    const event = eventOf('createPet-idempotency-key', changes)
    const before = await storedPets()

    const response = await call(event)

    const headers = { Location: first.headers.Location ?? '', 'Idempotent-Replayed': 'true' }
    expect(response).toEqual(responseTo(event, { status: 201, headers, body: first.body }))
    expect(await storedPets()).toEqual(before)
    expect(info.mock.lastCall?.[0]).toMatchObject({ status: 201, replayed: 'true' })
  })

  test('returns 422 for another body', async () => {
    const event = eventOf('createPet-idempotency-key', { body: JSON.stringify({ ...rex, categoryId: 8 }) })

    const message =
      'This Idempotency-Key was used with another body within the last 24 hours. Send the same body, or use a new key.'
    await expectRefusal(event, errorResponse(422, 'unprocessable_content', message))
  })

  test.each([
    ['two keys', ['order-1742', 'order-1743'], ' (give it once)'],
    ['an empty key', '', ''],
  ])('returns 400 for %s', async (_, key, hint) => {
    const message = `Idempotency-Key must be 1 to 255 visible ASCII characters, bare or in double quotes, or omitted${hint}.`
    await expectRefusal(withHeaders({ 'Idempotency-Key': key }), badRequest(message))
  })
})
