import { describe, expect, test } from 'vitest'
import type { Event } from '../../shared/http.ts'
import { call, info } from '../support/call.ts'
import { storedPets } from '../support/database.ts'
import { badRequest, errorResponse, eventOf, responseTo } from '../support/events.ts'

const MISSING = expect.stringMatching(/^The body is missing\. It must be a JSON object in which name must be .+\.$/)
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

  const headers = { Location: `/v1/pets/${response.body.id}`, ETag: `"${response.body.id}"` }
  expect(response).toEqual(responseTo(event, { status: 201, headers, body: { id: expect.any(Number), ...pet } }))
})

test('stores no field that the client made up', async () => {
  const fields = { name: 'Rex', categoryId: 7, status: 'sold' }

  const { body } = await call(
    withBody(JSON.stringify({ id: 1, ...fields, colour: 'brown', creation: 'mine', shard: 7 })),
  )

  const stored = (await storedPets()).filter(({ id }) => id === body.id || id === 1)
  const keys = { shard: 0, statusShard: 'sold#0', creation: expect.stringMatching(/^[\da-f-]{36}$/) }
  expect(stored).toEqual([{ id: body.id, ...fields, ...keys }])
})

// More refused bodies are in test/api/create-pet.test.ts.
test.each([
  ['no body and no Content-Type', eventOf('createPet-no-body', { headers: { 'Content-Type': undefined } }), MISSING],
  ['bytes that are not UTF-8', inBase64(Buffer.from('"Zoë"', 'latin1')), 'The body is not valid UTF-8.'],
  ['a key __proto__', withBody('{"a":{"__proto__":{}}}'), 'The body must not have the key __proto__.'],
  [
    'a key constructor.prototype',
    withBody('{"a":{"constructor":{"prototype":1}}}'),
    'The body must not have the key constructor.prototype.',
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

test('returns 415 when the last of two content types is not JSON', async () => {
  const message = 'Send the body as JSON, with the header Content-Type: application/json'
  const event = withHeaders({ 'Content-Type': ['application/json', 'text/plain'] })
  await expectRefusal(event, errorResponse(415, 'unsupported_media_type', message))
})

describe('with an Idempotency-Key', async () => {
  const firstEvent = eventOf('createPet-idempotency-key')
  const first = await call(firstEvent)

  test('adds the pet', async () => {
    const { id } = first.body

    const stored = await storedPets()

    const headers = { Location: `/v1/pets/${id}`, ETag: `"${id}"` }
    expect(first).toEqual(responseTo(firstEvent, { status: 201, headers, body: { id: expect.any(Number), ...rex } }))
    expect(stored.find((pet) => pet.id === id)).toEqual({
      ...first.body,
      shard: 0,
      statusShard: 'available#0',
      creation: expect.stringMatching(/^[\da-f-]{36}$/),
      reservation: expect.stringMatching(/^[\da-f]{64}$/),
    })
  })

  // More is in test/api/idempotency-key.test.ts.
  test('returns the first pet again for the same request, and logs the replay', async () => {
    const event = eventOf('createPet-idempotency-key')
    const before = await storedPets()

    const response = await call(event)

    const { Location = '', ETag = '' } = first.headers
    const headers = { Location, ETag, 'Idempotent-Replayed': 'true' }
    expect(response).toEqual(responseTo(event, { status: 201, headers, body: first.body }))
    expect(await storedPets()).toEqual(before)
    expect(info.mock.lastCall?.[0]).toMatchObject({ status: 201, replayed: 'true' })
  })
})
