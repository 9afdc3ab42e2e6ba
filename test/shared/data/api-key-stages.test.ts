import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { find } from '../../../shared/data/api-keys.ts'
import { newApiKey } from '../../../shared/model/api-key.ts'
import { proxy, storeKey } from './faulty-database.ts'

const prefixes = ['live', 'test', 'local'] as const

beforeEach(() => {
  proxy.counts = {}
})
afterEach(() => {
  vi.unstubAllEnvs()
})

test.each([
  ['production', 'live'],
  ['staging', 'test'],
  ['a local server', 'local'],
] as const)('a function of %s takes its own keys, and refuses all others without a read', async (_, own) => {
  vi.stubEnv('KEY_PREFIX', own)
  const [key, ...others] = [own, ...prefixes.filter((prefix) => prefix !== own)].map(newApiKey)
  for (const each of [key, ...others]) await storeKey(each ?? '')

  const refused = await Promise.all(others.map(find))

  expect([refused, proxy.counts]).toEqual([[undefined, undefined], {}])
  expect(await find(key ?? '')).toMatchObject({ keyId: 'key-1' })
  expect(proxy.counts).toEqual({ GetItem: 1 })
})
