import { METHODS } from 'node:http'
import fc from 'fast-check'
import { authorization } from './authorization.ts'
import { oneIn } from './one-in.ts'
import type { ClientRequest } from './request.ts'

const KNOWN = ['/v1/pets', '/v1/pets/', '/v1/pets?limit=0', '/v1/pets/{id}', '/v1/pets/7?a']

const NOWHERE = `
  / // /v1 /v1/ /v1? /pets /v2/pets /V1/pets /v1/PETS /v1/pet /v1pets /v1/pets/7/8 /v1/pets%2F7 /%76%31/pets /v1/p%65ts
  /v1/./pets /v1/../v1/pets /v1/pets/../pets /v1/pets;a /v1/pets%00 /v1/pets%3Flimit=1 /v1/store/orders /.env /v1/__proto__
  /v1/pets#a /v1/${'a/'.repeat(2000)} /${'a'.repeat(4000)} /% /%ff /favicon.ico /restapis/a/v1/_user_request_/pets
`
  .trim()
  .split(/\s+/)

// CONNECT has no path, and http.request hands its answer out in another way.
const methods = METHODS.filter((method) => method !== 'CONNECT')
const otherMethod = fc.constantFrom(...methods.filter((method) => !['GET', 'POST', 'OPTIONS'].includes(method)))
const noMethod = fc.constantFrom('FETCH', 'GETT', 'G', 'PRI', 'X-CAT', '!', 'M-SEARCHES')

const somewhere = fc
  .array(fc.string({ unit: 'binary', minLength: 1 }).map(encodeURIComponent), { minLength: 1, maxLength: 4 })
  .map((parts) => `/${parts.join('/')}`)

const asked = fc.oneof(
  fc.record({ method: otherMethod, target: fc.constantFrom(...KNOWN), status: fc.constant(405) }),
  fc.record({ method: fc.constant('OPTIONS'), target: fc.constantFrom(...KNOWN), status: fc.constant(204) }),
  fc.record({ method: fc.constantFrom(...methods), target: fc.constantFrom(...NOWHERE), status: fc.constant(404) }),
  fc.record({ method: fc.constantFrom(...methods), target: somewhere, status: fc.constant(404) }),
  fc.record({ method: noMethod, target: fc.constantFrom(...KNOWN), status: fc.constant(400) }),
)

const text = oneIn(4, fc.string({ unit: 'binary' }))

/** A request for something that is not there: a path, a method of a path, a method at all. */
export const strayRequest: fc.Arbitrary<ClientRequest> = fc
  .record({ authorization, asked, text })
  .map(({ authorization: { headers }, asked: { status, ...asked }, text }) => ({
    ...asked,
    headers,
    ...(text !== undefined && { body: { text } }),
    statuses: [status],
  }))
