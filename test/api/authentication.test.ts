import { expect, test } from 'vitest'
import { contract, operationIds } from '../../shared/contract.ts'
import { newApiKey } from '../../shared/model/api-key.ts'
import { PATH_PARAMETER } from '../../shared/pipeline/by-method.ts'
import { service } from '../../shared/service.ts'
import { apiKey, challenge, expectError, requestAnonymously } from '../support/api.ts'

const MESSAGE = 'The API key is missing or invalid. Send it as: Authorization: Bearer <API_KEY>'
const NO_KEY = `Bearer realm="${service.name}"`
const WRONG_KEY = `${NO_KEY}, error="invalid_token"`

const stages = ['live', 'test', 'local'] as const
const stage =
  stages.find((prefix) => apiKey.startsWith(`${service.keyIssuer}_${prefix}_`)) ?? 'local'
const otherStage = stage === 'live' ? 'test' : 'live'
const garbled = apiKey.replace(/.$/, (last) => (last === '0' ? '1' : '0'))

test.each<[string, Record<string, string>, string]>([
  ['another scheme', { Authorization: 'Basic cGV0OnN0b3Jl' }, NO_KEY],
  ['a scheme without a key', { Authorization: 'Bearer' }, NO_KEY],
  ['two keys', { Authorization: `Bearer ${apiKey} ${apiKey}` }, NO_KEY],
  ['a key without a scheme', { Authorization: apiKey }, NO_KEY],
  ['a garbled key', { Authorization: `Bearer ${garbled}` }, WRONG_KEY],
  ['an unknown key', { Authorization: `Bearer ${newApiKey(stage)}` }, WRONG_KEY],
  ['a key of another stage', { Authorization: `Bearer ${newApiKey(otherStage)}` }, WRONG_KEY],
])('returns 401 for %s', async (_, headers, expected) => {
  const response = await requestAnonymously({ path: '/pets', headers })

  expectError(response, 401, 'unauthorized', MESSAGE)
  expect(challenge(response)).toBe(expected)
})

test.each(operationIds)('%s returns 401 without a key', async (id) => {
  const { method, path } = contract[id]

  const response = await requestAnonymously({ method, path: path.replaceAll(PATH_PARAMETER, '1') })

  expectError(response, 401, 'unauthorized', MESSAGE)
  expect(challenge(response)).toBe(NO_KEY)
})

test('accepts a key with the scheme in lower case', async () => {
  const headers = { authorization: `bearer ${apiKey}` }

  const { status } = await requestAnonymously({ path: '/pets', headers })

  expect(status).toBe(200)
})

test('ignores a key in the query', async () => {
  const response = await requestAnonymously({ path: `/pets?access_token=${apiKey}` })

  expectError(response, 401, 'unauthorized', MESSAGE)
})
