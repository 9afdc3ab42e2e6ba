import fc from 'fast-check'
import { LOCAL_API_KEY } from '../../infra/local/credentials.ts'
import { apiKeyOf } from '../../shared/model/api-key.ts'
import { changesBody, character, type PetBody, petBody, type Refused, weighted, words } from './bodies.ts'

export type Headers = Record<string, string | string[]>

/** The largest page of a list, and the status of its pets. */
export type Page = { limit: number; status: string | undefined }

/**
 * A request of an HTTP client, and what is known about its response. In `target` and `headers`, `{id}` and `{cursor}` stand for the id of
 * a stored pet and a valid cursor, and `{fresh}` for the id of a pet that no other request knows. The response has one of
 * the `statuses`. `key` is the idempotency key, if it is valid.
 */
export type ClientRequest = Pick<PetBody, 'body' | 'wanted'> & {
  method: string
  target: string
  headers: Headers
  statuses: number[]
  key?: string | undefined
  page?: Page
}

/** The largest body that API Gateway accepts, and the largest that the service accepts. */
const [MIB_10, KIB_256] = [10 * 1024 * 1024, 256 * 1024]

/** Draws one value in so many from the arbitrary; the others are `undefined`. */
export const oneIn = <T>(many: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  weighted<T | undefined>([many - 1, fc.constant(undefined)], [1, arbitrary])

export const headerText = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.oneof(character(0x20, 0x7e), character(0x80, 0xff)), maxLength })

type HeaderPart = { headers: Headers; refused: Refused }

const header = (name: string, refused: Refused, values: fc.Arbitrary<string | string[]>): fc.Arbitrary<HeaderPart> =>
  fc.tuple(fc.mixedCase(fc.constant(name)), values).map(([name, value]) => ({ headers: { [name]: value }, refused }))

const noHeader = (refused: Refused): fc.Arbitrary<HeaderPart> => fc.constant({ headers: {}, refused })

const KEY = LOCAL_API_KEY
const BEARER = `Bearer ${KEY}`
const WRONG_CREDENTIALS = [
  ...['', 'Bearer', KEY, `Basic ${KEY}`, `${BEARER}A`, BEARER.slice(0, -1), `${BEARER}, ${BEARER}`, 'Bearer __proto__'],
  // Well-formed keys that were never issued, of this stage and of another one.
  `Bearer ${apiKeyOf('local', '0'.repeat(32))}`,
  `Bearer ${apiKeyOf('live', '0'.repeat(32))}`,
  [BEARER, BEARER],
]

/** The API key of a request, mostly a valid one. */
export const authorization: fc.Arbitrary<HeaderPart> = weighted(
  [24, header('Authorization', 'never', fc.constantFrom(BEARER, `bearer ${KEY}`, `BEARER   ${KEY}`))],
  [3, header('Authorization', 'always', fc.oneof(fc.constantFrom(...WRONG_CREDENTIALS), headerText(200)))],
  [1, noHeader('always')],
)

const JSON_TYPES = [
  'application/json',
  'APPLICATION/JSON',
  'application/json ; charset=utf-8',
  'application/merge-patch+json',
]
const OTHER_TYPES = ['', 'application/json, a/b', ...words('json text/plain text/json application/jsonx a/b;c=d')]
const contentType = weighted(
  [24, header('Content-Type', 'never', fc.constantFrom(...JSON_TYPES))],
  [2, header('Content-Type', 'always', fc.constantFrom(...OTHER_TYPES))],
  [1, header('Content-Type', 'maybe', fc.constant(['application/json', 'text/plain']))], // Only one of them counts.
  [1, noHeader('always')],
)

const WRONG_KEYS = ['', '""', '"', '"a', 'a b', '"a b"', '"\\a"', '\xe9', 'a'.repeat(256), `"${'a'.repeat(256)}"`]
const manyVisible = fc.string({ unit: character(0x21, 0x7e), maxLength: 254, size: 'max' })
const validKey = fc.oneof(
  fc.tuple(character(0x23, 0x7e), manyVisible).map(([first, rest]) => first + rest), // `"` would start a quoted key.
  fc.constantFrom('a', 'b'), // Mostly sent before, with another body.
)
const quoted = (key: string): string => `"${key.replaceAll(/["\\]/g, '\\$&')}"`
const idempotency = weighted<HeaderPart & { key?: string }>(
  [6, noHeader('never')],
  [1, validKey.map((key) => ({ headers: { 'Idempotency-Key': key }, key, refused: 'never' }))],
  [1, validKey.map((key) => ({ headers: { 'Idempotency-Key': quoted(key) }, key, refused: 'never' }))],
  [1, header('Idempotency-Key', 'always', fc.constantFrom(...WRONG_KEYS, ['a', 'a']))],
)

// The tag of a fresh pet is its id.
const FRESH_TAGS = ['*', '"{fresh}"', 'W/"a",, "{fresh}" ,', ['"a"', '"{fresh}"']]
const OTHER_TAGS = ['"a"', 'W/"{fresh}"', `"${'ab'.repeat(16)}"`, '"", "{id}"', ['W/"*"', '"\xe9"']]
const NO_TAGS = ['', ',', 'a', '{fresh}', '"a" "b"', '*, "a"', ['*', '*'], Array(11).fill('"{fresh}"').join()]
const ifMatch = weighted<HeaderPart & { differs: Refused }>(
  [6, noHeader('never').map((part) => ({ ...part, differs: 'never' }))],
  [2, header('If-Match', 'never', fc.constantFrom(...FRESH_TAGS)).map((part) => ({ ...part, differs: 'never' }))],
  [1, header('If-Match', 'never', fc.constantFrom(...OTHER_TAGS)).map((part) => ({ ...part, differs: 'always' }))],
  [1, header('If-Match', 'always', fc.constantFrom(...NO_TAGS)).map((part) => ({ ...part, differs: 'never' }))],
)

/** The size that a body is padded to, in bytes; 0 for none. */
const size = weighted(
  [200, fc.constant(0)],
  [12, fc.constantFrom(KIB_256 - 1, KIB_256, KIB_256 + 1)],
  [1, fc.constantFrom(MIB_10 - 1, MIB_10, MIB_10 + 1, MIB_10 + 1_000_000)],
)

type Checks = [refused: Refused, status: number][]

/** The possible statuses of a response if the service makes these checks one after the other. */
const statusesOf = (success: number, ...checks: Checks): number[] => {
  const last = checks.findIndex(([refused]) => refused === 'always')
  const reached: Checks = last < 0 ? [...checks, ['always', success]] : checks.slice(0, last + 1)
  return reached.filter(([refused]) => refused !== 'never').map(([, status]) => status)
}

const framing = fc.constantFrom<Headers>({}, {}, { 'Transfer-Encoding': 'chunked' })

/** A request with a body, as far as all operations that take one agree, and their checks of it up to the first rule. */
const withBody = (content: fc.Arbitrary<PetBody>) =>
  fc
    .record({ authorization, contentType, framing, size, content })
    .map(({ authorization, contentType, framing, size, content: { refused, body: text, ...content } }) => {
      const body = text?.padEnd(size) // JSON allows spaces.
      const isLarger = (than: number): Refused => (body && body.length > than ? 'always' : 'never')
      const checks: Checks = [
        [isLarger(MIB_10), 413],
        [authorization.refused, 401],
        [isLarger(KIB_256), 413],
        [body ? contentType.refused : 'never', 415],
        [refused, 400],
      ]
      const headers: Headers = { ...authorization.headers, ...contentType.headers, ...framing }
      return { request: { ...content, headers, ...(body !== undefined && { body }) }, checks }
    })

const createRequest: fc.Arbitrary<ClientRequest> = fc
  .tuple(withBody(petBody), idempotency)
  .map(([{ request, checks }, { key, headers, refused }]) => {
    // An earlier request may have had the same key.
    const statuses = statusesOf(201, ...checks, [refused, 400], [key === undefined ? 'never' : 'maybe', 422])
    return {
      ...request,
      method: 'POST',
      target: '/v1/pets',
      headers: { ...request.headers, ...headers },
      key,
      statuses,
    }
  })

/** Queries that are refused, each for one reason. */
export const invalidQueries = words(`
  limit= limit=0 limit=101 limit=-1 limit=1.5 limit=01 limit=+1 limit=%201 limit=1e1 limit=abc limit=%D9%A3 limit=NaN limit=%
  limit=1&limit=1 limit=${'9'.repeat(400)} status= status=gone status=Sold status=none status=sold%23 status=sold%20
  status=toString status=__proto__ status=sold&status=sold cursor= cursor=abc cursor={cursor}A cursor=0 cursor=%00
  cursor={cursor}&cursor={cursor} cursor=${'A'.repeat(16)} cursor=${'A'.repeat(1000)}`)

const unknownName = fc
  .oneof(fc.constantFrom('', ...words('offset limit[] LIMIT __proto__ toString')), fc.string({ unit: 'binary' }))
  .filter((name) => !['limit', 'status', 'cursor'].includes(name))

const encodings = [
  encodeURIComponent,
  (text: string) => new URLSearchParams([['', text]]).toString().slice(1),
  (text: string) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&'),
]

/** The query of a list request, and the page that it asks for if it is valid. */
export const listQuery: fc.Arbitrary<{ query: string; page: Page; refused: Refused }> = fc
  .record({
    limit: oneIn(2, fc.constantFrom(1, 2, 7, 20, 99, 100)),
    status: oneIn(2, fc.constantFrom('available', 'pending', 'sold')),
    unknown: fc.array(fc.tuple(unknownName, fc.string({ unit: 'binary', maxLength: 40 })), { maxLength: 2 }),
    encode: fc.constantFrom(...encodings),
    cursor: oneIn(3, fc.constant('cursor={cursor}')),
    wrong: oneIn(4, fc.constantFrom(...invalidQueries)),
  })
  .map(({ limit, status, unknown, encode, cursor, wrong }) => {
    const known = Object.entries({ limit, status }).filter(([, value]) => value !== undefined)
    const encoded = [...unknown, ...known].map((pair) => pair.map((part) => encode(String(part))).join('='))
    const query = [...encoded, cursor, wrong].filter((part) => part !== undefined).join('&')
    return { query, page: { limit: limit ?? 20, status }, refused: wrong ? 'always' : 'never' }
  })

// Malformed pairs and percent-encodings, which name no known parameter.
const MALFORMED = words('& && &= &=& &% &%zz=1 &a=%ff%fe &a=%ED%A0%80 &; &a=b=c &? &a[0][b]=1')

const listRequest: fc.Arbitrary<ClientRequest> = fc
  .record({ authorization, list: listQuery, malformed: oneIn(3, fc.constantFrom(...MALFORMED)) })
  .map(({ authorization: { headers, ...key }, list: { query, page, refused }, malformed = '' }) => {
    const target = `/v1/pets${query || malformed ? '?' : ''}${query}${malformed}`
    const statuses = statusesOf(200, [key.refused, 401], [refused, 400])
    return { method: 'GET', target, headers, page, statuses }
  })

const FRESH = words(
  '/v1/pets/{fresh} /v1/pets/{fresh}/ /v1//pets/{fresh} //v1/pets/{fresh} /v1/pets/{fresh}?limit=0&a=%',
)
const UNKNOWN_IDS = words(`
  {id}.0 0{id} +{id} -{id} {id}%20 %20{id} {id}%00 {id}e0 {id}n {id};a=b {id},{id} {id}#a {id}/toys {id}// /{id} /
  0 -0 -1 9223372036854775807 -9223372036854775808 9223372036854775808 ${'9'.repeat(4000)} 0x7 1e3
  . .. %2e%2e %2F %2f..%2f ..%5c % %zz %c3%28 %ff %00 ~ * ' {petId} __proto__ ${LOCAL_API_KEY}`)

/** The encoded id of no pet. */
export const unknownId = fc.oneof(
  fc.bigInt().map(String),
  fc.string({ unit: 'binary', minLength: 1 }).map(encodeURIComponent),
)
const unknownPath = fc.oneof(fc.constantFrom(...UNKNOWN_IDS), unknownId).map((id) => `/v1/pets/${id}`)

/** A request for a pet, with these checks before that of the headers: for one that exists, and sometimes for none. */
const forPet = (
  method: string,
  success: number,
  content: fc.Arbitrary<{ request: Pick<ClientRequest, 'headers' | 'body' | 'wanted'>; checks: Checks }>,
): fc.Arbitrary<ClientRequest> =>
  fc
    .record({ content, ifMatch, fresh: fc.constantFrom(...FRESH), unknown: oneIn(5, unknownPath) })
    .map(({ content: { request, checks }, ifMatch, fresh, unknown }) => {
      const found: Checks = unknown ? [['always', 404]] : [[ifMatch.differs, 412]]
      const statuses = statusesOf(success, ...checks, [ifMatch.refused, 400], ...found)
      return {
        ...request,
        method,
        target: unknown ?? fresh,
        headers: { ...request.headers, ...ifMatch.headers },
        // A path without a resource is a 404 without an API key, and for any body, too.
        statuses: unknown ? [...statuses, 404] : statuses,
      }
    })

const changeRequest = forPet('PATCH', 200, withBody(changesBody))

const deleteRequest = forPet(
  'DELETE',
  204,
  authorization.map(({ headers, refused }) => ({ request: { headers }, checks: [[refused, 401]] })),
)

/** A request to an operation. Most are valid or nearly so, so that they reach what is behind the checks. */
export const operationRequest = weighted([10, createRequest], [5, changeRequest], [4, listRequest], [3, deleteRequest])
