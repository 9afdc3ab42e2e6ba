import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { find, put, warmUp } from '../../../shared/data/api-keys.ts'
import { digestOf, newApiKey } from '../../../shared/model/api-key.ts'
import { answer, answers, type Fault } from '../../support/fault-proxy.ts'
import { at } from './clock.ts'
import { always, deleteKey, proxy, storeKey } from './faulty-database.ts'

beforeEach(() => {
  always('pass')
  proxy.counts = {}
})
afterEach(() => vi.unstubAllEnvs())

describe('find', () => {
  test('returns the key ID and the client of a stored key', async () => {
    const key = newApiKey('local')
    await put({ digest: digestOf(key), keyId: 'key-1', clientId: 'ann', name: 'Ann', createdAt: '2026-11-20' })

    expect(await find(key)).toMatchObject({ keyId: 'key-1', clientId: 'ann' })
    expect(proxy.counts.GetItem).toBe(1)
  })

  test('returns undefined for an unknown key, and reads it each time', async () => {
    const key = newApiKey('local')

    expect(await find(key)).toBeUndefined()
    expect(await find(key)).toBeUndefined()
    expect(proxy.counts.GetItem).toBe(2)

    await storeKey({ key })
    expect(await find(key)).toMatchObject({ keyId: 'key-1' })
  })

  test.each([
    ['garbage', 'abc'],
    ['an empty string', ''],
    ['a key with a wrong checksum', 'pet_local_forDevelopmentOnOneMachineOnly002lJW3W'],
  ])('returns undefined for %s without a read', async (_, key) => {
    await storeKey({ key })

    expect(await find(key)).toBeUndefined()
    expect(proxy.counts).toEqual({})
  })

  test.each(['live', 'test', 'local'] as const)(
    'of a stage with %s keys rejects others without a read',
    async (own) => {
      vi.stubEnv('KEY_PREFIX', own)
      const others = (['live', 'test', 'local'] as const).filter((prefix) => prefix !== own)
      const key = await storeKey({ key: newApiKey(own) })
      const otherKeys = await Promise.all(others.map((prefix) => storeKey({ key: newApiKey(prefix) })))

      const rejected = await Promise.all(otherKeys.map(find))

      expect([rejected, proxy.counts]).toEqual([[undefined, undefined], {}])
      expect(await find(key)).toMatchObject({ keyId: 'key-1' })
      expect(proxy.counts).toEqual({ GetItem: 1 })
    },
  )
})

describe('a key that expires in 10 seconds', () => {
  const expiresAt = 1_795_176_010

  test('is valid until then', async () => {
    const [early, late] = [await storeKey({ expiresAt }), await storeKey({ expiresAt })]

    at(9_999)
    expect(await find(early)).toMatchObject({ keyId: 'key-1' })
    at(10_000)
    expect(await find(late)).toBeUndefined()
  })

  test('is not valid for longer because it is cached', async () => {
    const key = await storeKey({ expiresAt })
    expect(await find(key)).toMatchObject({ keyId: 'key-1' })

    at(10_000)

    expect(await find(key)).toBeUndefined()
    expect(proxy.counts.GetItem).toBe(1)
  })
})

describe('a known key', () => {
  test('is cached for 60 s from the moment its read was sent', async () => {
    const key = await storeKey()
    proxy.faultOf = () => {
      at(25_000) // During the read.
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

  test('is invalid within 60 s after it was revoked', async () => {
    const key = await storeKey()
    await find(key)
    await deleteKey(key)

    at(59_999)
    expect(await find(key)).toMatchObject({ keyId: 'key-1' })
    at(60_000)
    expect(await find(key)).toBeUndefined()
    at(0)
    expect(await find(key)).toBeUndefined()
  })

  test('is still valid when DynamoDB becomes unavailable within these 60 s', async () => {
    const key = await storeKey()
    await find(key)
    always('cut')

    at(59_999)

    expect(await find(key)).toMatchObject({ keyId: 'key-1' })
  })
})

describe('the cache', () => {
  // The proxy returns these responses, which is faster than storing the keys.
  const STORED = answer(200, { Item: { keyId: { S: 'key-1' }, clientId: { S: 'ann' } } })
  const NOT_STORED = answer(200, {})

  const newKeys = (length: number) => Array.from({ length }, () => newApiKey('local'))

  /** Finds keys, 50 at a time. Returns how many were known, and the number of reads. */
  const findAll = async (keys: string[]) => {
    const before = proxy.counts.GetItem ?? 0
    const found: unknown[] = []
    for (let i = 0; i < keys.length; i += 50) found.push(...(await Promise.all(keys.slice(i, i + 50).map(find))))
    return { known: found.filter(Boolean).length, reads: (proxy.counts.GetItem ?? 0) - before }
  }

  test('keeps the 1,000 keys that were read last, and unknown keys replace none of them', async () => {
    const keys = newKeys(1200)
    always(STORED)
    const first = await findAll(keys)
    always(NOT_STORED)

    const unknown = await findAll(newKeys(1001))

    expect(first).toEqual({ known: 1200, reads: 1200 })
    expect(unknown).toEqual({ known: 0, reads: 1001 })
    expect(await findAll(keys.slice(-1000))).toEqual({ known: 1000, reads: 0 })
    expect(await findAll(keys.slice(0, -1000))).toEqual({ known: 0, reads: 200 })
  })

  test('drops only the oldest key for a new one', async () => {
    const [oldest = '', ...others] = newKeys(1000)
    always(STORED)
    await find(oldest)
    await findAll(others)
    await find(newApiKey('local'))
    always(NOT_STORED)

    expect(await findAll(others)).toEqual({ known: 999, reads: 0 })
    expect(await findAll([oldest])).toEqual({ known: 0, reads: 1 })
  })
})

describe('a function', () => {
  test('is ready after its first read', async () => {
    vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', 'on-demand')
    const { promise: fault, resolve: release } = Promise.withResolvers<Fault>()
    proxy.faultOf = () => fault
    let isReady = false

    const ready = warmUp().then(() => {
      isReady = true
    })
    await vi.waitUntil(() => proxy.counts.GetItem)
    const before = isReady
    release('pass')
    await ready

    expect({ before, counts: proxy.counts }).toEqual({ before: false, counts: { GetItem: 1 } })
  })

  test('starts although that read fails', async () => {
    vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', 'provisioned-concurrency')
    always(answers.accessDenied)

    await expect(warmUp()).resolves.toBeUndefined()
    expect(proxy.counts).toEqual({ GetItem: 1 })
  })

  test('reads nothing before a request when it runs outside of Lambda', async () => {
    vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', undefined)

    await warmUp()

    expect(proxy.counts).toEqual({})
  })
})
