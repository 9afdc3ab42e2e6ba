import '../support/database.ts'
import { expect, test } from 'vitest'
import { call, callRaw, fixture } from './call.ts'
import { badRequest, responseTo } from './responses.ts'

// As text: JSON.parse would round these.
test.each([
  ['createPet-int64-maximum', '9223372036854775807'],
  ['createPet-int64-minimum', '-9223372036854775808'],
  ['createPet-int64-beyond-doubles', '9007199254740993'],
])('answers %s, and reads it back, digit for digit: %s', async (name, digits) => {
  const created = await callRaw(fixture(name))
  const id = created.headers.Location?.replace('/v1/pets/', '') ?? ''
  const read = await callRaw({ ...fixture('getPet-found'), pathParameters: { petId: id } })
  const listed = await callRaw(fixture('listPets-limit-1'))

  const text = `{"id":${id},"name":"Rex","categoryId":${digits},"status":"available"}`
  expect([created.statusCode, created.body]).toEqual([201, text])
  expect([read.statusCode, read.body]).toEqual([200, text])
  expect([listed.statusCode, listed.body]).toEqual([200, `[${text}]`])
})

test.each([
  'createPet-int64-overflow',
  'createPet-int64-underflow',
  'createPet-int64-fraction',
  'createPet-int64-rounded-fraction',
  'createPet-int64-large-exponent',
  'createPet-int64-string',
  'createPet-int64-null',
  'createPet-int64-true',
])('answers %s with a 400, since it is no int64 or not surely one', async (name) => {
  const event = fixture(name)

  const response = await call(event)

  const message = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807, in digits.'
  expect(response).toEqual(responseTo(event, badRequest(message)))
})
