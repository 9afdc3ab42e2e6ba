import '../support/database.ts'
import { expect, test } from 'vitest'
import { call, fixture } from './call.ts'
import { responseTo } from './responses.ts'
import { storedPet } from './stored-pet.ts'

const rex = { name: 'Rex', categoryId: 7, status: 'available' }

test.each([
  ['createPet-created', rex],
  ['createPet-without-status', { name: 'Rex', categoryId: 7 }],
  ['createPet-base64-body', { name: 'Zoë 🐕', categoryId: 7, status: 'available' }],
  ['createPet-lower-case-headers', rex],
  ['createPet-charset', rex],
  ['createPet-json-suffix', rex],
  ['createPet-trailing-slash', rex],
  ['createPet-repeated-key', rex],
  ['createPet-unknown-fields', { name: 'Rex', categoryId: 7, status: 'sold' }],
  ['createPet-int64-exponent', { name: 'Rex', categoryId: 1000, status: 'available' }],
  ['createPet-int64-point-zero', { name: 'Rex', categoryId: 1, status: 'available' }],
])('answers %s with the pet that it added', async (name, pet) => {
  const event = fixture(name)

  const response = await call(event)

  const headers = { Location: `/v1/pets/${response.body.id}` }
  expect(response).toEqual(responseTo(event, { status: 201, headers, body: { id: expect.any(Number), ...pet } }))
})

test.each([
  ['createPet-custom-domain', /^\/v1\/pets\/\d+$/],
  ['createPet-custom-domain-root', /^\/pets\/\d+$/],
])('answers %s with the Location at which that caller finds the pet', async (name, location) => {
  const event = fixture(name)

  const response = await call(event)

  const headers = { Location: expect.stringMatching(location) }
  expect(response).toEqual(responseTo(event, { status: 201, headers, body: { id: expect.any(Number), ...rex } }))
})

test('gives each pet an id of its own, greater than the one before', async () => {
  const responses = [await call(fixture('createPet-created')), await call(fixture('createPet-created'))]

  const [first, second] = responses.map(({ body }) => body.id)
  expect(Number.isSafeInteger(first)).toBe(true)
  expect(second).toBeGreaterThan(first)
})

test.each([
  ['createPet-unknown-fields', { name: 'Rex', categoryId: 7, status: 'sold', statusShard: 'sold#0' }],
  ['createPet-without-status', { name: 'Rex', categoryId: 7, statusShard: 'none#0' }],
])('stores of %s what the interface knows, and nothing else that the client sent', async (name, fields) => {
  const { body } = await call(fixture(name))

  const stored = await storedPet(body.id)

  const creation = expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(stored).toEqual({ id: body.id, ...fields, creation })
})

test('does not take the id that a client sends', async () => {
  const { body } = await call(fixture('createPet-unknown-fields'))

  expect(body.id).not.toBe(1)
  expect(await storedPet(1)).toBeUndefined()
})
