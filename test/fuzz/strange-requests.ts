import { METHODS } from 'node:http'
import fc from 'fast-check'
import { weighted, words } from './bodies.ts'
import { authorization, type ClientRequest, type Headers, headerText, oneIn, operationRequest } from './requests.ts'

const PETS = words('/v1/pets /v1/pets/ /v1/pets?limit=0')
const PET = words('/v1/pets/{id} /v1/pets/7?a')
const known = fc.constantFrom(...PETS, ...PET)
const UNKNOWN = words(`
  / // /v1 /v1/ /v1? /pets /v2/pets /V1/pets /v1/PETS /v1/pet /v1pets /v1/pets/7/8 /v1/pets%2F7 /%76%31/pets /v1/p%65ts
  /v1/./pets /v1/../v1/pets /v1/pets/../pets /v1/pets;a /v1/pets%00 /v1/pets%3Flimit=1 /v1/store/orders /.env /v1/__proto__
  /v1/pets#a /v1/${'a/'.repeat(2000)} /${'a'.repeat(4000)} /% /%ff /favicon.ico /restapis/a/v1/_user_request_/pets`)
const segments = fc.array(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1, maxLength: 4 })
const anyPath = segments.map((segments) => `/${segments.map(encodeURIComponent).join('/')}`)
const unknownPath = fc.oneof(fc.constantFrom(...UNKNOWN), anyPath)

// CONNECT has no path, and Node.js emits its response as another event.
const methods = METHODS.filter((method) => method !== 'CONNECT')
const except = (allowed: string[]) => methods.filter((method) => !allowed.includes(method))

const stray = (methods: string[], target: fc.Arbitrary<string>, status: number) =>
  fc.tuple(fc.constantFrom(...methods), target).map(([method, target]) => ({ method, target, statuses: [status] }))

/** A request for a resource or a method that does not exist, or a preflight request. */
const strayRequest: fc.Arbitrary<ClientRequest> = fc
  .tuple(
    weighted(
      [2, stray(methods, unknownPath, 404)],
      [1, stray(except(words('GET POST OPTIONS')), fc.constantFrom(...PETS), 405)],
      [1, stray(except(words('GET PATCH DELETE OPTIONS')), fc.constantFrom(...PET), 405)],
      [1, stray(['OPTIONS'], known, 204)],
    ),
    authorization,
    oneIn(4, fc.string({ unit: 'binary' })),
  )
  .map(([request, { headers }, text]) => ({ ...request, headers, ...(text !== undefined && { body: text }) }))

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

const harmless = weighted<Headers>(
  [4, fc.constant({})],
  [3, fc.constantFrom(...HARMLESS)],
  [1, headerText(100).map((text) => ({ 'User-Agent': text, Cookie: text, 'X-A': text }))],
)

// With a host, the target names the same resource (RFC 9112, section 3.2.2).
const origin = fc.constantFrom('', '', '', '', '', '', '', 'http://a', 'HTTPS://A:1')

/** The request with more headers, and a target of any form. */
const withExtra = (request: fc.Arbitrary<ClientRequest>): fc.Arbitrary<ClientRequest> =>
  fc.tuple(request, harmless, origin).map(([request, headers, origin]) => {
    return { ...request, target: origin + request.target, headers: { ...request.headers, ...headers } }
  })

/** Any request, valid or not. */
export const anyRequest = weighted([16, withExtra(operationRequest)], [3, withExtra(strayRequest)])
