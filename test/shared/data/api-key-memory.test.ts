import { expect, test } from 'vitest'
import { find } from '../../../shared/data/api-keys.ts'
import { newApiKey } from '../../../shared/model/api-key.ts'
import { answer } from '../../support/fault-proxy.ts'
import { always, proxy } from './faulty-database.ts'

const readsOf = async (key: string): Promise<number> => {
  proxy.counts = {}
  expect(await find(key)).toMatchObject({ keyId: 'key-1', clientId: 'ann' })
  return proxy.counts.GetItem ?? 0
}

// Answers to the read of a key, so that not every one has to be stored.
const STORED = answer(200, { Item: { keyId: { S: 'key-1' }, clientId: { S: 'ann' } } })
const NOT_STORED = answer(200, {})

const newKeys = () => Array.from({ length: 1001 }, () => newApiKey('local'))

test('a thousand keys are remembered, and of more those that were read last', { timeout: 30_000 }, async () => {
  const [first = '', second = '', last = '', ...others] = newKeys()
  always(STORED)
  for (const key of [first, second, ...others]) await find(key)
  expect(await readsOf(first)).toBe(0)

  expect(await readsOf(last)).toBe(1)

  expect(await readsOf(second)).toBe(0)
  expect(await readsOf(first)).toBe(1)
  expect(await readsOf(second)).toBe(1)
  expect(await readsOf(last)).toBe(0)
})

test('unknown keys, however many, make no known one forgotten', { timeout: 30_000 }, async () => {
  const [known = '', ...unknown] = newKeys()
  always(STORED)
  await find(known)
  always(NOT_STORED)

  for (const key of [...unknown, newApiKey('local')]) await find(key)

  expect(await readsOf(known)).toBe(0)
})
