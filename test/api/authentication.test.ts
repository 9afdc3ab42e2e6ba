import { describe, expect, test } from 'vitest'
import { newApiKey } from '../../shared/model/api-key.ts'
import { apiKey, call, callAnonymously, challenge, expectError } from '../support/api.ts'

const MESSAGE = 'The API key is missing or invalid. Send it as: Authorization: Bearer <API_KEY>'
const NO_KEY = 'Bearer realm="pet-store"'
const BAD_KEY = 'Bearer realm="pet-store", error="invalid_token"'
const prefix = apiKey.split('_')[1] === 'live' ? 'live' : apiKey.split('_')[1] === 'test' ? 'test' : 'local'
const otherStage = prefix === 'live' ? 'test' : 'live'
const swapped = apiKey.replace(/.$/, (last) => (last === '0' ? '1' : '0'))

describe.each([
  ['listPets', { method: 'GET', path: '/pets' }],
  ['createPet', { method: 'POST', path: '/pets' }],
  ['getPet', { method: 'GET', path: '/pets/1' }],
])('%s', (_, request) => {
  test.each([
    ['no Authorization', {}, NO_KEY],
    ['another scheme', { Authorization: 'Basic cGV0OnN0b3Jl' }, NO_KEY],
    ['no key behind the scheme', { Authorization: 'Bearer' }, NO_KEY],
    ['two tokens', { Authorization: `Bearer ${apiKey} ${apiKey}` }, NO_KEY],
    ['a key without its scheme', { Authorization: apiKey }, NO_KEY],
    ['a garbled key', { Authorization: `Bearer ${swapped}` }, BAD_KEY],
    ['a cut key', { Authorization: `Bearer ${apiKey.slice(0, -1)}` }, BAD_KEY],
    ['an unknown key', { Authorization: `Bearer ${newApiKey(prefix)}` }, BAD_KEY],
    ['a key of another stage', { Authorization: `Bearer ${newApiKey(otherStage)}` }, BAD_KEY],
  ])('answers 401 to %s', async (_, headers, expected) => {
    const response = await callAnonymously({ ...request, headers })

    expectError(response, 401, 'unauthorized', MESSAGE)
    expect(challenge(response)).toBe(expected)
  })
})

test.each(['Bearer', 'bearer', 'BEARER'])('takes the scheme as %s', async (scheme) => {
  const { status } = await callAnonymously({ path: '/pets', headers: { authorization: `${scheme} ${apiKey}` } })

  expect(status).toBe(200)
})

test('takes no key from the query', async () => {
  const response = await callAnonymously({ path: `/pets?access_token=${apiKey}` })

  expectError(response, 401, 'unauthorized', MESSAGE)
})

test('takes the key', async () => {
  const { status } = await call({ path: '/pets' })

  expect(status).toBe(200)
})
