import fc from 'fast-check'
import { LOCAL_API_KEY } from '../../infra/local/credentials.ts'
import { apiKeyOf } from '../../shared/model/api-key.ts'
import { character, type PetBody, type Refused, weighted, words } from './bodies.ts'

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
  key?: string
  page?: Page
}

/** A part of a request, and what the service checks about it. */
export type Part = Partial<Omit<ClientRequest, 'method' | 'statuses'>> & { checks?: Check[] }
export type Check = [refused: Refused, status: number]

const nothing: fc.Arbitrary<Part> = fc.constant({})

const header = (name: string, values: fc.Arbitrary<string | string[]>, ...checks: Check[]): fc.Arbitrary<Part> =>
  fc.tuple(fc.mixedCase(fc.constant(name)), values).map(([name, value]) => ({ headers: { [name]: value }, checks }))

const headerText = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.oneof(character(0x20, 0x7e), character(0x80, 0xff)), maxLength })

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
export const authorization = weighted<Part>(
  [24, header('Authorization', fc.constantFrom(BEARER, `bearer ${KEY}`, `BEARER   ${KEY}`))],
  [3, header('Authorization', fc.oneof(fc.constantFrom(...WRONG_CREDENTIALS), headerText(200)), ['always', 401])],
  [1, fc.constant({ checks: [['always', 401]] })],
)

const JSON_TYPES = [
  ...words('application/json APPLICATION/JSON application/merge-patch+json'),
  'application/json ; charset=utf-8',
]
const OTHER_TYPES = ['', 'application/json, a/b', ...words('json text/plain text/json application/jsonx a/b;c=d')]
export const contentType = weighted<Part>(
  [24, header('Content-Type', fc.constantFrom(...JSON_TYPES))],
  [2, header('Content-Type', fc.constantFrom(...OTHER_TYPES), ['always', 415])],
  [1, header('Content-Type', fc.constant(['application/json', 'text/plain']), ['maybe', 415])], // Only one of them counts.
  [1, fc.constant({ checks: [['always', 415]] })],
)

const WRONG_KEYS = ['', '""', '"', '"a', 'a b', '"a b"', '"\\a"', '\xe9', 'a'.repeat(256), `"${'a'.repeat(256)}"`]
const manyVisible = fc.string({ unit: character(0x21, 0x7e), maxLength: 254, size: 'max' })
const validKey = fc.oneof(
  fc.tuple(character(0x23, 0x7e), manyVisible).map(([first, rest]) => first + rest), // `"` would start a quoted key.
  fc.constantFrom('a', 'b'), // Mostly sent before, with another body.
)
const quoted = (key: string): string => `"${key.replaceAll(/["\\]/g, '\\$&')}"`
// An earlier request may have had the same key.
const anyKey = fc.tuple(validKey, fc.constantFrom(String, quoted)).map(([key, spell]): Part => {
  return { headers: { 'Idempotency-Key': spell(key) }, key, checks: [['maybe', 422]] }
})
export const idempotency = weighted<Part>(
  [6, nothing],
  [2, anyKey],
  [1, header('Idempotency-Key', fc.constantFrom<string | string[]>(...WRONG_KEYS, ['a', 'a']), ['always', 400])],
)

// The tag of a fresh pet is its id.
const FRESH_TAGS = ['*', '"{fresh}"', 'W/"a",, "{fresh}" ,', ['"a"', '"{fresh}"']]
const OTHER_TAGS = ['"a"', 'W/"{fresh}"', `"${'ab'.repeat(16)}"`, '"", "{id}"', ['W/"*"', '"\xe9"']]
const NO_TAGS = ['', ',', 'a', '{fresh}', '"a" "b"', '*, "a"', ['*', '*'], Array(11).fill('"{fresh}"').join()]

/** A header If-Match, or none. A pet with another tag gets `otherTag`. */
export const ifMatch = (otherTag: number): fc.Arbitrary<Part> =>
  weighted(
    [6, nothing],
    [2, header('If-Match', fc.constantFrom(...FRESH_TAGS))],
    [1, header('If-Match', fc.constantFrom(...OTHER_TAGS), ['always', otherTag])],
    [1, header('If-Match', fc.constantFrom(...NO_TAGS), ['always', 400])],
  )

const HARMLESS: Headers[] = [
  { Accept: 'text/html', 'Accept-Encoding': 'gzip, br' },
  { 'Content-Encoding': 'identity' },
  { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'DELETE' },
  { 'X-Request-Id': 'mine', 'x-amzn-RequestId': 'mine' },
  { 'X-HTTP-Method-Override': 'DELETE', 'X-Forwarded-Proto': 'gopher', 'X-Forwarded-Host': 'evil.example' },
  { Range: 'bytes=0-1', 'If-None-Match': '*', 'If-Modified-Since': 'never' },
  { Connection: 'close', Expect: '100-continue', Host: 'shop.example:80' },
  { Connection: 'Upgrade', Upgrade: 'h2c', Expect: 'the worst', Host: '[::1]' },
  { 'X-Cat': ['a', 'b', 'a'], 'X-Dog': 'a'.repeat(4000) },
  Object.fromEntries(['__proto__', ...Array.from({ length: 90 }, (_, i) => `X-${i}`)].map((name) => [name, 'a'])),
]

export const harmless = weighted<Headers>(
  [4, fc.constant({})],
  [3, fc.constantFrom(...HARMLESS)],
  [1, headerText(100).map((text) => ({ 'User-Agent': text, Cookie: text, 'X-A': text }))],
)
