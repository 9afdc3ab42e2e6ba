import fc from 'fast-check'
import { LOCAL_API_KEY } from '../../infra/local/announcement.ts'
import { authorization } from './authorization.ts'
import { type ClientRequest, statusesOf } from './request.ts'

const FOUND =
  '/v1/pets/{id} /v1/pets/{id}/ /v1//pets/{id} //v1/pets/{id} /v1/pets/{id}?limit=0&a=% /v1/pets/{id}?'.split(' ')

const NOT_FOUND = `
  {id}.0 0{id} +{id} -{id} {id}%20 %20{id} {id}%00 {id}e0 {id}n {id};a=b {id},{id} {id}#a {id}/toys {id}// /{id} /
  0 -0 -1 9223372036854775807 -9223372036854775808 9223372036854775808 ${'9'.repeat(4000)} 0x7 1e3
  . .. %2e%2e %2F %2f..%2f ..%5c % %zz %c3%28 %ff %00 ~ * ' {petId} __proto__ ${LOCAL_API_KEY}
`
  .trim()
  .split(/\s+/)
  .map((id) => `/v1/pets/${id}`)

const junk = fc.string({ unit: 'binary', minLength: 1 }).map((text) => `/v1/pets/${encodeURIComponent(text)}`)
const number = fc.bigInt().map((id) => `/v1/pets/${id}`)

const target = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...FOUND).map((target) => ({ target, status: 200 })) },
  {
    weight: 3,
    arbitrary: fc.oneof(fc.constantFrom(...NOT_FOUND), junk, number).map((target) => ({ target, status: 404 })),
  },
)

/** A request that reads a pet, or almost. */
export const getRequest: fc.Arbitrary<ClientRequest> = fc
  .record({ authorization, target })
  .map(({ authorization: { headers, refused }, target: { target, status } }) => ({
    method: 'GET',
    target,
    headers,
    // Where nothing is, a stranger is told so as well.
    statuses: [...statusesOf([[refused, 401]], status), ...(status === 404 ? [404] : [])],
  }))
