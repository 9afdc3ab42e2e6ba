import { beforeEach, describe, expect, test } from 'vitest'
import { find, put } from '../../../shared/data/api-keys.ts'
import { digestOf, newApiKey } from '../../../shared/model/api-key.ts'
import { at } from './clock.ts'
import { always, proxy, storeKey } from './faulty-database.ts'

beforeEach(() => {
  always('pass')
  proxy.counts = {}
})

test('a key that is stored is known, with whom it belongs to', async () => {
  const key = newApiKey('local')
  await put({ digest: digestOf(key), keyId: 'key-1', clientId: 'ann', name: 'Ann', createdAt: '2026-11-20' })

  expect(await find(key)).toMatchObject({ keyId: 'key-1', clientId: 'ann' })
  expect(proxy.counts.GetItem).toBe(1)
})

test('a key that is not stored is unknown, and looked for each time', async () => {
  const key = newApiKey('local')

  expect(await find(key)).toBeUndefined()
  expect(await find(key)).toBeUndefined()
  expect(proxy.counts.GetItem).toBe(2)

  await storeKey(key)
  expect(await find(key)).toMatchObject({ keyId: 'key-1' })
})

test.each([
  ['garbage', 'abc'],
  ['empty', ''],
  ['a key of production', newApiKey('live')],
  ['a key of staging', newApiKey('test')],
  ['a key with a wrong checksum', 'pet_local_forDevelopmentOnOneMachineOnly002lJW3W'],
])('what cannot be a key here costs no read: %s', async (_, key) => {
  await storeKey(key)

  expect(await find(key)).toBeUndefined()
  expect(proxy.counts).toEqual({})
})

describe('a key that expires', () => {
  const expiresAt = 1_795_176_010 // 10 s from now.

  test('is good until that second, and not in it', async () => {
    const [early, late] = [newApiKey('local'), newApiKey('local')]
    await storeKey(early, expiresAt)
    await storeKey(late, expiresAt)

    at(9_999)
    expect(await find(early)).toMatchObject({ keyId: 'key-1' })
    at(10_000)
    expect(await find(late)).toBeUndefined()
  })

  test('is not good for longer because it is remembered', async () => {
    const key = newApiKey('local')
    await storeKey(key, expiresAt)
    expect(await find(key)).toMatchObject({ keyId: 'key-1' })

    at(10_000)

    expect(await find(key)).toBeUndefined()
    expect(proxy.counts.GetItem).toBe(1)
  })
})
