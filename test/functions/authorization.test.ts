import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { putItem } from '../support/database.ts'
import { call, fixture } from './call.ts'
import { deprecated, responseTo, unauthorized } from './responses.ts'
import { countStored } from './stored-pet.ts'

const ASKS = 'Bearer realm="pet-store"'
const NOT_GOOD = 'Bearer realm="pet-store", error="invalid_token"'

/** Stores the key that a fixture sends, as the service stores keys. */
const storeKeyOf = (name: string, more: { expiresAt?: number } = {}) => {
  const key = fixture(name).headers.Authorization?.replace('Bearer ', '') ?? ''
  const digest = createHash('sha256').update(key).digest('hex')
  return putItem('apiKeysTable', { digest, keyId: name, clientId: name, name, createdAt: '2024-12-01', ...more })
}

test.each([
  'listPets-unauthorized',
  'listPets-unauthorized-bad-limit',
  'listPets-basic-scheme',
  'listPets-no-scheme',
  'listPets-empty-token',
  'createPet-unauthorized',
  'createPet-unauthorized-malformed-json',
  'createPet-two-tokens',
])('answers %s with 401 and asks for a key', async (name) => {
  const event = fixture(name)

  const response = await call(event)

  expect(response).toEqual(responseTo(event, unauthorized(ASKS)))
  expect(await countStored()).toBe(0)
})

test.each(['listPets-garbled-key', 'listPets-unknown-key'])(
  'answers %s with 401: that key is no good',
  async (name) => {
    const event = fixture(name)

    const response = await call(event)

    expect(response).toEqual(responseTo(event, unauthorized(NOT_GOOD)))
  },
)

test('refuses a key that has expired and is stored still: DynamoDB deletes late', async () => {
  const event = fixture('listPets-expired-key')
  await storeKeyOf('listPets-expired-key', { expiresAt: 1_735_689_600 }) // 2025-01-01

  const response = await call(event)

  expect(response).toEqual(responseTo(event, unauthorized(NOT_GOOD)))
})

test('refuses a key of another stage, even where it is stored', async () => {
  const event = fixture('getPet-staging-key')
  await storeKeyOf('getPet-staging-key')

  const response = await call(event)

  const { status, headers, body } = unauthorized(NOT_GOOD)
  expect(response).toEqual(responseTo(event, { status, headers: { ...headers, ...deprecated }, body }))
})
