import '../support/database.ts'
import { expect, test } from 'vitest'
import { call, fixture, info } from './call.ts'
import { badRequest, responseTo } from './responses.ts'
import { countStored, storedPet } from './stored-pet.ts'

const first = await call(fixture('createPet-idempotency-key'))

test('adds the pet of a new key as if there were none', async () => {
  const event = fixture('createPet-idempotency-key')
  const { id } = first.body

  const headers = { Location: `/v1/pets/${id}` }
  const body = { id: expect.any(Number), name: 'Rex', categoryId: 7, status: 'available' }
  expect(first).toEqual(responseTo(event, { status: 201, headers, body }))
  expect(await storedPet(id)).toEqual({
    ...first.body,
    statusShard: 'available#0',
    creation: expect.stringMatching(/^[\da-f-]{36}$/),
    reservation: expect.stringMatching(/^[\da-f]{64}$/),
  })
})

test.each([
  ['createPet-idempotency-key', 'the same request'],
  ['createPet-idempotency-key-quoted', 'the same key in quotes and the same values in another spelling'],
])('answers %s with the same pet, and says that it was added before: %s', async (name) => {
  const event = fixture(name)
  const before = await countStored()

  const response = await call(event)

  const headers = { Location: first.headers.Location ?? '', 'Idempotent-Replayed': 'true' }
  expect(response).toEqual(responseTo(event, { status: 201, headers, body: first.body }))
  expect(await countStored()).toBe(before)
  expect(info.mock.lastCall?.[0]).toMatchObject({ status: 201, replayed: 'true' })
})

test('refuses another body with the same key', async () => {
  const event = fixture('createPet-idempotency-key-other-body')
  const before = await countStored()

  const response = await call(event)

  const message =
    'This Idempotency-Key was used with another body within the last 24 hours. Send the same body, or use a new key.'
  const body = { code: 'unprocessable_content', message, status: 422 }
  expect(response).toEqual(responseTo(event, { status: 422, body }))
  expect(await countStored()).toBe(before)
})

test.each(['createPet-idempotency-key-given-twice', 'createPet-idempotency-key-empty'])(
  'says of %s what an Idempotency-Key is',
  async (name) => {
    const event = fixture(name)
    const before = await countStored()

    const response = await call(event)

    const message =
      'Idempotency-Key must be 1 to 255 visible ASCII characters, bare or in double quotes, or omitted. Give each header once.'
    expect(response).toEqual(responseTo(event, badRequest(message)))
    expect(await countStored()).toBe(before)
  },
)
