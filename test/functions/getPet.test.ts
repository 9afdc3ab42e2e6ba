import { expect, test } from 'vitest'
import { putItem } from '../support/database.ts'
import { call, fixture } from './call.ts'
import { deprecated, responseTo, unauthorized } from './responses.ts'

const NO_INT64 = 'petId must be an integer from -9223372036854775808 to 9223372036854775807, in digits.'

const rex = { id: 373117652410368, name: 'Rex', categoryId: 7, status: 'available' }
await putItem('petsTable', { ...rex, statusShard: 'available#0', creation: 'a token that nobody sees' })

test('answers with the pet, and that the operation is deprecated', async () => {
  const event = fixture('getPet-found')

  const response = await call(event)

  expect(response).toEqual(responseTo(event, { status: 200, headers: deprecated, body: rex }))
})

test('names the successor at the address that the caller used', async () => {
  const event = fixture('getPet-custom-domain')

  const response = await call(event)

  const headers = { ...deprecated, Link: '<https://api.example.com/v1/pets>; rel="successor-version"' }
  expect(response).toEqual(responseTo(event, { status: 200, headers, body: rex }))
})

test.each([
  ['getPet-unknown-id', 'No pet has the id 373117652410369.'],
  ['getPet-zero', 'No pet has the id 0.'],
  ['getPet-negative', 'No pet has the id -1.'],
  ['getPet-int64-maximum', 'No pet has the id 9223372036854775807.'],
  ['getPet-beyond-int64', NO_INT64],
  ['getPet-not-an-integer', NO_INT64],
  ['getPet-fraction', NO_INT64],
  ['getPet-leading-zero', NO_INT64],
  ['getPet-white-space', NO_INT64],
])('answers %s with 404, and that the operation is deprecated', async (name, message) => {
  const event = fixture(name)

  const response = await call(event)

  const body = { code: 'not_found', message, status: 404 }
  expect(response).toEqual(responseTo(event, { status: 404, headers: deprecated, body }))
})

test.each([
  ['getPet-unauthorized', 'Bearer realm="pet-store"'],
  ['getPet-staging-key', 'Bearer realm="pet-store", error="invalid_token"'],
])('answers %s with 401, and that the operation is deprecated', async (name, challenge) => {
  const event = fixture(name)

  const response = await call(event)

  const { status, headers, body } = unauthorized(challenge)
  expect(response).toEqual(responseTo(event, { status, headers: { ...headers, ...deprecated }, body }))
})
