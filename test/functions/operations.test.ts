import { afterEach, expect, test, vi } from 'vitest'
import { service } from '../../shared/service.ts'
import '../support/clock.ts'
import { putItem, storedItems } from '../support/database.ts'
import { errorResponse, eventOf, responseTo } from '../support/events.ts'
import { invoke } from '../support/invoke.ts'
import { newPet, petOf, storedPet } from '../support/pets.ts'

const HOST = 'https://abcdef1234.execute-api.eu-central-1.amazonaws.com'
const anETag = expect.stringMatching(/^"\d+-[\da-f-]{36}"$/)

const rex = petOf(100)
const nala = petOf(106)
const milo = petOf(105, { status: undefined })
const bella = petOf(103, { categoryId: -1 })
const oldest = [petOf(2, { status: 'sold' }), petOf(1, { status: 'sold' })]

for (const pet of [...oldest, rex, nala, milo, bella]) await putItem('pets', storedPet(pet.id, pet))

const list = (query: Record<string, string | string[]>) =>
  eventOf('listPets-no-parameters', { query })
const ofRex = (name: string) => eventOf(name, { id: `${rex.id}` })
const nextPage = (address: string) => ({ Link: `<${address}>; rel="next"` })

afterEach(() => vi.unstubAllEnvs())

// Reads come first: they expect the pets above, and no others.
test.each([
  // This is the cursor of the id 3.
  ['the last page', list({ limit: '2', cursor: 'AAAAAAAAAAP8K47T' }), 200, {}, oldest],
  ['all pets of a status', list({ status: 'available' }), 200, {}, [nala, bella, rex]],
  [
    'a page at the root of a custom domain, and the next one',
    eventOf('listPets-custom-domain-root'),
    200,
    nextPage('https://pets.example.com/pets?limit=2&cursor=AAAAAAAAAGlRTAaV'),
    [nala, milo],
  ],
  [
    'a page for a query with a filter and a value without a name, and the next one',
    list({ '': 'x', limit: '1', status: 'available' }),
    200,
    nextPage(`${HOST}${service.basePath}/pets?limit=1&status=available&cursor=AAAAAAAAAGrIRVcv`),
    [nala],
  ],
  ['a changed pet', ofRex('updatePet-changed'), 200, { ETag: anETag }, { ...rex, status: 'sold' }],
  ['nothing of a deleted pet', ofRex('deletePet-deleted'), 204, {}, undefined],
] as const)('returns %s, and nothing else', async (_, event, status, headers, body) => {
  expect(await invoke(event)).toEqual(responseTo(event, { status, headers, body }))
})

test('behind a CDN, links and Location begin with the public base address', async () => {
  vi.stubEnv('PUBLIC_BASE_URL', 'https://shop.example/animals')

  const page = await invoke(list({ limit: '1', status: 'available' }))
  const added = await invoke(eventOf('createPet-created'))

  expect(page.headers.Link).toBe(
    '<https://shop.example/animals/pets?limit=1&status=available&cursor=AAAAAAAAAGrIRVcv>; rel="next"',
  )
  expect(added.headers.Location).toMatch(/^\/animals\/pets\/\d+$/)
})

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

const sent = newPet()
const creating = (body: string) => eventOf('createPet-created', { body })
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
const ofSize = (bytes: number) => JSON.stringify(sent).padEnd(bytes)
const withMore = JSON.stringify({ id: 7, ...sent, color: 'brown', revision: 'mine', shard: 7 })

test.each([
  ['base64', inBase64('{"name":"Zoë 🐕","categoryId":7}'), { name: 'Zoë 🐕', categoryId: 7 }],
  ['lower-case header names', inLowerCase(), sent],
  ['a trailing slash in the path', withSlash, sent],
  ['a custom domain', eventOf('createPet-custom-domain'), sent],
  ['256 KiB, which take more in base64', inBase64(ofSize(KIB_256)), sent],
  ['fields that the client made up', creating(withMore), sent],
])('creates and stores a pet for a request with %s', async (_, event, pet) => {
  const response = await invoke(event)

  const { id } = response.body
  const headers = { Location: `${service.basePath}/pets/${id}`, ETag: anETag }
  expect(response).toEqual(responseTo(event, { status: 201, headers, body: { id, ...pet } }))
  const stored = (await storedItems()).filter((each) => each.id === id || each.id === 7)
  const revision = expect.stringMatching(/^[\da-f-]{36}$/)
  expect(stored).toEqual([{ ...storedPet(id, { status: undefined, ...pet }), revision }])
})

// More bodies are in test/api/properties.test.ts.
test.each([
  ['no body and no Content-Type', withoutBody, badRequest(MISSING)],
  [
    'bytes that are not UTF-8',
    inBase64('"Zoë"', 'latin1'),
    badRequest('The body is not valid UTF-8.'),
  ],
  [
    'a key constructor.prototype',
    creating('{"a":{"constructor":{"prototype":1}}}'),
    badRequest('The body must not have the key constructor.prototype.'),
  ],
  ['fewer characters but more bytes', creating(`{"note":"${'ë'.repeat(KIB_256 / 2)}"}`), TOO_LARGE],
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
