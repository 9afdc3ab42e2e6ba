import { METHODS } from 'node:http'
import fc from 'fast-check'
import { LOCAL_API_KEY } from '../../infra/local/credentials.ts'
import { changesBody, type PetBody, petBody, type Refused, weighted, words } from './bodies.ts'
import {
  authorization,
  type Check,
  type ClientRequest,
  contentType,
  type Headers,
  harmless,
  idempotency,
  ifMatch,
  type Page,
  type Part,
} from './headers.ts'

/** A request of these parts, if the service makes their checks in this order. */
const requestOf = (method: string, success: number, ...parts: fc.Arbitrary<Part>[]): fc.Arbitrary<ClientRequest> =>
  fc.tuple(...parts).map((parts) => {
    const { target = '/v1/pets', headers = {}, checks = [], ...rest } = parts.reduce(joined, {})
    const last = checks.findIndex(([refused]) => refused === 'always')
    const reached: Check[] = last < 0 ? [...checks, ['always', success]] : checks.slice(0, last + 1)
    const statuses = reached.filter(([refused]) => refused !== 'never').map(([, status]) => status)
    return { method, target, headers, statuses, ...rest }
  })

const joined = (all: Part, part: Part): Part => ({
  ...{ ...all, ...part },
  headers: { ...all.headers, ...part.headers },
  checks: [...(all.checks ?? []), ...(part.checks ?? [])],
})

const framing = fc.constantFrom<Headers>({}, {}, { 'Transfer-Encoding': 'chunked' })

/** The largest body that the service accepts. */
const KIB_256 = 256 * 1024
/** The size that a body is padded to, in bytes; 0 for none. */
const size = weighted([16, fc.constant(0)], [1, fc.constantFrom(KIB_256 - 1, KIB_256, KIB_256 + 1)])

/** A body with its headers. */
const bodyPart = (content: fc.Arbitrary<PetBody>): fc.Arbitrary<Part> =>
  fc
    .record({ content, contentType, framing, size })
    .map(({ content: { refused, body: text, ...content }, contentType, framing, size }) => {
      const body = text?.padEnd(size) // JSON allows spaces.
      const isTooLarge = body !== undefined && body.length > KIB_256
      const ofType = body ? (contentType.checks ?? []) : []
      return {
        ...content,
        ...(body !== undefined && { body }),
        headers: { ...contentType.headers, ...framing },
        checks: [[isTooLarge ? 'always' : 'never', 413], ...ofType, [refused, 400]],
      }
    })

/** Queries that are refused, each for one reason. */
export const invalidQueries = words(`
  limit= limit=0 limit=101 limit=-1 limit=1.5 limit=01 limit=+1 limit=%201 limit=1e1 limit=abc limit=%D9%A3 limit=NaN limit=%
  limit=1&limit=1 limit=${'9'.repeat(400)} status= status=gone status=Sold status=none status=sold%23 status=sold%20
  status=toString status=__proto__ status=sold&status=sold cursor= cursor=abc cursor={cursor}A cursor=0 cursor=%00
  cursor={cursor}&cursor={cursor} cursor=${'A'.repeat(16)} cursor=${'A'.repeat(1000)}`)

// Malformed pairs and percent-encodings, which name no known parameter.
const MALFORMED = words('& && &= &=& &% &%zz=1 &a=%ff%fe &a=%ED%A0%80 &; &a=b=c &? &a[0][b]=1')

const unknownName = fc
  .oneof(fc.constantFrom('', ...words('offset limit[] LIMIT __proto__ toString')), fc.string({ unit: 'binary' }))
  .filter((name) => !['limit', 'status', 'cursor'].includes(name))

const encodings = [
  encodeURIComponent,
  (text: string) => new URLSearchParams([['', text]]).toString().slice(1),
  (text: string) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&'),
]

/** Draws one value in so many from the arbitrary; the others are `undefined`. */
const oneIn = <T>(many: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  weighted<T | undefined>([many - 1, fc.constant(undefined)], [1, arbitrary])

/** The query of a list request, and the page that it asks for if it is valid. */
export const listQuery: fc.Arbitrary<{ query: string; page: Page; refused: Refused }> = fc
  .record({
    limit: oneIn(2, fc.constantFrom(1, 2, 7, 20, 99, 100)),
    status: oneIn(2, fc.constantFrom('available', 'pending', 'sold')),
    unknown: fc.array(fc.tuple(unknownName, fc.string({ unit: 'binary', maxLength: 40 })), { maxLength: 2 }),
    encode: fc.constantFrom(...encodings),
    cursor: oneIn(3, fc.constant('cursor={cursor}')),
    wrong: oneIn(4, fc.constantFrom(...invalidQueries)),
    malformed: oneIn(3, fc.constantFrom(...MALFORMED)),
  })
  .map(({ limit, status, unknown, encode, cursor, wrong, malformed = '' }) => {
    const known = Object.entries({ limit, status }).filter(([, value]) => value !== undefined)
    const encoded = [...unknown, ...known].map((pair) => pair.map((part) => encode(String(part))).join('='))
    const query = [...encoded, cursor, wrong].filter((part) => part !== undefined).join('&') + malformed
    return { query, page: { limit: limit ?? 20, status }, refused: wrong ? 'always' : 'never' }
  })

const list = listQuery.map(({ query, page, refused }): Part => {
  return { target: `/v1/pets${query && '?'}${query}`, page, checks: [[refused, 400]] }
})

const FRESH = words(
  '/v1/pets/{fresh} /v1/pets/{fresh}/ /v1//pets/{fresh} //v1/pets/{fresh} /v1/pets/{fresh}?limit=0&a=%',
)
const fresh = fc.constantFrom(...FRESH).map((target): Part => ({ target }))

const UNKNOWN_IDS = words(`
  {id}.0 0{id} +{id} -{id} {id}%20 %20{id} {id}%00 {id}e0 {id}n {id};a=b {id},{id} {id}#a {id}/toys {id}// /{id} /
  0 -0 -1 9223372036854775807 -9223372036854775808 9223372036854775808 ${'9'.repeat(4000)} 0x7 1e3
  . .. %2e%2e %2F %2f..%2f ..%5c % %zz %c3%28 %ff %00 ~ * ' {petId} __proto__ ${LOCAL_API_KEY}`)

/** The encoded id of no pet. */
export const unknownId = fc.oneof(
  fc.bigInt().map(String),
  fc.string({ unit: 'binary', minLength: 1 }).map(encodeURIComponent),
)
// A path without a resource is a 404 without an API key, and for any body, too.
const unknown = fc
  .oneof(fc.constantFrom(...UNKNOWN_IDS), unknownId)
  .map((id): Part => ({ target: `/v1/pets/${id}`, checks: [['maybe', 404]] }))

/** A request for a pet, mostly for one that exists. */
const forPet = (method: string, success: number, ...content: fc.Arbitrary<Part>[]): fc.Arbitrary<ClientRequest> =>
  weighted(
    [4, requestOf(method, success, authorization, ...content, ifMatch(412), fresh)],
    [1, requestOf(method, 404, unknown, authorization, ...content, ifMatch(404))],
  )

/** A request to an operation. Most are valid or nearly so, so that they reach what is behind the checks. */
const operationRequest = weighted(
  [10, requestOf('POST', 201, authorization, bodyPart(petBody), idempotency)],
  [5, forPet('PATCH', 200, bodyPart(changesBody))],
  [4, requestOf('GET', 200, authorization, list)],
  [3, forPet('DELETE', 204)],
)

const PETS = words('/v1/pets /v1/pets/ /v1/pets?limit=0')
const PET = words('/v1/pets/{id} /v1/pets/7?a')
const UNKNOWN = words(`
  / // /v1 /v1/ /v1? /pets /v2/pets /V1/pets /v1/PETS /v1/pet /v1pets /v1/pets/7/8 /v1/pets%2F7 /%76%31/pets /v1/p%65ts
  /v1/./pets /v1/../v1/pets /v1/pets/../pets /v1/pets;a /v1/pets%00 /v1/pets%3Flimit=1 /v1/store/orders /.env /v1/__proto__
  /v1/pets#a /v1/${'a/'.repeat(2000)} /${'a'.repeat(4000)} /% /%ff /favicon.ico /restapis/a/v1/_user_request_/pets`)
const segments = fc.array(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1, maxLength: 4 })
const anyPath = segments.map((segments) => `/${segments.map(encodeURIComponent).join('/')}`)

// CONNECT has no path, and Node.js emits its response as another event.
const methods = METHODS.filter((method) => method !== 'CONNECT')
const except = (allowed: string) => methods.filter((method) => !words(allowed).includes(method))

const key = authorization.map(({ headers = {} }) => ({ headers }))
const content = oneIn(4, fc.string({ unit: 'binary' })).map((body) => (body === undefined ? {} : { body }))

/** A request that no function gets: the API key makes no difference. */
const stray = (status: number, methods: string[], targets: fc.Arbitrary<string>) => {
  const target = targets.map((target) => ({ target }))
  return fc.constantFrom(...methods).chain((method) => requestOf(method, status, target, key, content))
}

/** A request for a resource or a method that does not exist, or a preflight request. */
const strayRequest = weighted(
  [2, stray(404, methods, fc.oneof(fc.constantFrom(...UNKNOWN), anyPath))],
  [1, stray(405, except('GET POST OPTIONS'), fc.constantFrom(...PETS))],
  [1, stray(405, except('GET PATCH DELETE OPTIONS'), fc.constantFrom(...PET))],
  [1, stray(204, ['OPTIONS'], fc.constantFrom(...PETS, ...PET))],
)

// With a host, the target names the same resource (RFC 9112, section 3.2.2).
const origin = weighted([7, fc.constant('')], [2, fc.constantFrom('http://a', 'HTTPS://A:1')])

/** Any request, valid or not, with more headers and a target of any form. */
export const anyRequest: fc.Arbitrary<ClientRequest> = fc
  .tuple(weighted([16, operationRequest], [3, strayRequest]), harmless, origin)
  .map(([request, headers, origin]) => {
    return { ...request, target: origin + request.target, headers: { ...request.headers, ...headers } }
  })
