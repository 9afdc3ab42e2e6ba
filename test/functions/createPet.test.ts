import { expect, test } from 'vitest'
import { service } from '../../shared/service.ts'
import { storedItems } from '../support/database.ts'
import { errorResponse, eventOf, responseTo } from '../support/events.ts'
import { invoke } from '../support/invoke.ts'
import { newPet, storedPet } from '../support/pets.ts'

const badRequest = (message: string) => errorResponse(400, 'bad_request', message)
const MISSING = expect.stringMatching(
  /^The body is missing\. It must be a JSON object in which .*\bname must be .+\.$/,
)
const TOO_LARGE = errorResponse(
  413,
  'payload_too_large',
  'The body must not be larger than 256 KiB.',
)
const NOT_JSON =
  'The Content-Type application/json, text/plain is not supported. Send application/json.'
const KIB_256 = 262_144

const rex = newPet()
const withBody = (body: string) => eventOf('createPet-created', { body })
const withoutBody = eventOf('createPet-created', {
  body: null,
  headers: { 'Content-Type': undefined },
})
const inBase64 = (text: string, encoding?: BufferEncoding) =>
  eventOf('createPet-created', {
    body: Buffer.from(text, encoding).toString('base64'),
    isBase64Encoded: true,
  })
// As HTTP/2 clients send them.
const inLowerCase = () => {
  const event = eventOf('createPet-created')
  const headers = Object.entries(event.multiValueHeaders)
  const multiValueHeaders = headers.map(([name, values]) => [name.toLowerCase(), values])
  return { ...event, headers: {}, multiValueHeaders: Object.fromEntries(multiValueHeaders) }
}
const withSlash = eventOf('createPet-created', {
  requestContext: { path: `${service.basePath}/pets/` },
})
const ofSize = (bytes: number) => JSON.stringify(rex).padEnd(bytes)

test.each([
  ['JSON', eventOf('createPet-created'), rex],
  ['base64', inBase64('{"name":"Zoë 🐕","categoryId":7}'), { name: 'Zoë 🐕', categoryId: 7 }],
  ['lower-case header names', inLowerCase(), rex],
  ['a trailing slash in the path', withSlash, rex],
  ['a custom domain', eventOf('createPet-custom-domain'), rex],
  ['256 KiB, which take more in base64', inBase64(ofSize(KIB_256)), rex],
])('returns 201 with the new pet for a request with %s', async (_, event, pet) => {
  const response = await invoke(event)

  const ETag = expect.stringMatching(new RegExp(`^"${response.body.id}-[\\da-f-]{36}"$`))
  const headers = { Location: `${service.basePath}/pets/${response.body.id}`, ETag }
  expect(response).toEqual(
    responseTo(event, { status: 201, headers, body: { id: expect.any(Number), ...pet } }),
  )
})

test('stores no field that the client made up', async () => {
  const { body } = await invoke(
    withBody(JSON.stringify({ id: 1, ...rex, color: 'brown', revision: 'mine', shard: 7 })),
  )

  const stored = (await storedItems()).filter(({ id }) => id === body.id || id === 1)
  const revision = expect.stringMatching(/^[\da-f-]{36}$/)
  expect(stored).toEqual([{ ...storedPet(body.id), revision }])
})

// More bodies are in test/api/create-pet.test.ts.
test.each([
  ['no body and no Content-Type', withoutBody, badRequest(MISSING)],
  [
    'bytes that are not UTF-8',
    inBase64('"Zoë"', 'latin1'),
    badRequest('The body is not valid JSON: The encoded data was not valid for encoding utf-8.'),
  ],
  [
    'a key constructor.prototype',
    withBody('{"a":{"constructor":{"prototype":1}}}'),
    badRequest('The body must not have the key constructor.prototype.'),
  ],
  ['one byte more than 256 KiB', withBody(ofSize(KIB_256 + 1)), TOO_LARGE],
  ['fewer characters but more bytes', withBody(`{"note":"${'ë'.repeat(KIB_256 / 2)}"}`), TOO_LARGE],
  [
    'two content types, of which the last is not JSON',
    eventOf('createPet-created', {
      headers: { 'Content-Type': ['application/json', 'text/plain'] },
    }),
    errorResponse(415, 'unsupported_media_type', NOT_JSON),
  ],
])('refuses a request with %s, and adds no pet', async (_, event, expected) => {
  const before = await storedItems()

  const response = await invoke(event)

  expect(response).toEqual(responseTo(event, expected))
  expect(await storedItems()).toEqual(before)
})
