import { beforeEach, describe, expect, test } from 'vitest'
import { find } from '../../../shared/data/api-keys.ts'
import { newApiKey } from '../../../shared/model/api-key.ts'
import { at } from './clock.ts'
import { always, deleteKey, proxy, storeKey } from './faulty-database.ts'

beforeEach(() => {
  always('pass')
  proxy.counts = {}
})

describe('a key that was found', () => {
  test('is remembered for 60 s from when its read was sent', async () => {
    const key = newApiKey('local')
    await storeKey(key)
    proxy.faultOf = () => {
      at(25_000) // While the read is on its way.
      return 'pass'
    }
    await find(key)
    always('pass')

    at(59_999)
    await find(key)
    expect(proxy.counts.GetItem).toBe(1)
    at(60_000)
    await find(key)
    expect(proxy.counts.GetItem).toBe(2)
  })

  test('dies within 60 s of being revoked', async () => {
    const key = newApiKey('local')
    await storeKey(key)
    await find(key)
    await deleteKey(key)

    at(59_999)
    expect(await find(key)).toMatchObject({ keyId: 'key-1' })
    at(60_000)
    expect(await find(key)).toBeUndefined()
    at(0)
    expect(await find(key)).toBeUndefined()
  })

  test('is still known when the database fails within these 60 s', async () => {
    const key = newApiKey('local')
    await storeKey(key)
    await find(key)
    always('cut')

    at(59_999)

    expect(await find(key)).toMatchObject({ keyId: 'key-1' })
  })
})
