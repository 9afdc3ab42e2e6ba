import { marshall } from '@aws-sdk/util-dynamodb'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { findKeyHolder, put, warmUp } from '../../../shared/data/api-keys.ts'
import { dynamodb } from '../../../shared/data/dynamodb.ts'
import { digestOf, newApiKey } from '../../../shared/model/api-key.ts'
import { scopes } from '../../../shared/service.ts'
import { at } from '../../support/clock.ts'
import {
  deleteKey,
  failAlways,
  proxy,
  retryOnBusyMachine,
  storeKey,
} from '../../support/database.ts'
import { databaseResponse, databaseResponses } from '../../support/fault-proxy.ts'

const [scope] = scopes

afterEach(() => vi.unstubAllEnvs())

test(
  'findKeyHolder returns undefined for an unknown key, and reads it each time, until it is stored',
  retryOnBusyMachine,
  async () => {
    const key = newApiKey('local')

    const found = [await findKeyHolder(key), await findKeyHolder(key)]
    expect([found, proxy.counts.GetItem]).toEqual([[undefined, undefined], 2])

    const client = { keyId: 'key-1', clientId: 'ann', name: 'Ann' }
    await put({ digest: digestOf(key), ...client, scopes, createdAt: '2026-11-20' })
    expect(await findKeyHolder(key)).toMatchObject({ keyId: 'key-1', clientId: 'ann' })
    expect(proxy.counts.GetItem).toBe(3)
  },
)

test('findKeyHolder accepts only keys of its own stage, and rejects other texts without a read', async () => {
  vi.stubEnv('KEY_PREFIX', 'live')
  const key = newApiKey('live')
  const others = [newApiKey('test'), newApiKey('local'), key.slice(0, -1), '']
  for (const each of [key, ...others]) await storeKey({ key: each })

  const rejected = await Promise.all(others.map(findKeyHolder))

  expect([rejected, proxy.counts]).toEqual([others.map(() => undefined), {}])
  expect(await findKeyHolder(key)).toMatchObject({ keyId: 'key-1' })
})

test('a key is valid until it expires, cached or not', retryOnBusyMachine, async () => {
  const expiresAt = 1_795_176_010 // 10 s after the start of the test.
  const [cached, other] = [await storeKey({ expiresAt }), await storeKey({ expiresAt })]

  at(9_999)
  expect(await findKeyHolder(cached)).toMatchObject({ keyId: 'key-1', isValid: true })
  at(10_000)
  expect(await findKeyHolder(cached)).toMatchObject({ keyId: 'key-1', isValid: false })
  expect(proxy.counts.GetItem).toBe(1)
  expect(await findKeyHolder(other)).toMatchObject({ isValid: false })
})

test.each([null, `no-${scope}`])('a key whose scopes are %j allows nothing', async (stored) => {
  expect(await findKeyHolder(await storeKey({ scopes: stored }))).toMatchObject({ scopes: [] })
})

test.each([
  { expiresAt: null },
  { expiresAt: '9999999999' },
  // The clock of the operator who revoked it may be ahead.
  { expiresAt: 9_999_999_999, revokedBy: 'arn:aws:iam::123456789012:user/jane' },
])('a key with %o is invalid', async (end) => {
  expect(await findKeyHolder(await storeKey(end))).toMatchObject({ keyId: 'key-1', isValid: false })
})

test.each([
  ['valid', 59_999],
  ['unknown', 60_000],
  ['unknown', -1], // The clock was set back.
])(
  'a key that is revoked is %s %d ms after its last read was sent',
  retryOnBusyMachine,
  async (state, milliseconds) => {
    const key = await storeKey()
    proxy.faultOf = () => {
      at(25_000) // During the read.
      return 'pass'
    }
    await findKeyHolder(key)
    await deleteKey(key)

    failAlways('pass')
    at(milliseconds)

    expect((await findKeyHolder(key)) ? 'valid' : 'unknown').toBe(state)
    expect(proxy.counts.GetItem).toBe(state === 'valid' ? 1 : 2)
  },
)

test('a key that is gone stays so, even if the clock is set back', retryOnBusyMachine, async () => {
  at(0)
  const key = await storeKey()
  expect(await findKeyHolder(key)).toMatchObject({ keyId: 'key-1' })
  await deleteKey(key)
  at(60_000)
  expect(await findKeyHolder(key)).toBeUndefined()

  at(30_000)

  expect(await findKeyHolder(key)).toBeUndefined()
})

test('the cache keeps the 1,000 keys that were read last, and unknown keys replace none of them', async () => {
  // Thousands of reads over HTTP would be slow.
  const send = vi.spyOn(dynamodb, 'send')
  onTestFinished(() => void send.mockRestore())
  send.mockImplementation(async (command) => ({
    Item: { ...Object(command).input.Key, keyId: 'key-1', clientId: 'ann' },
  }))
  const keys = Array.from({ length: 1001 }, () => newApiKey('local'))
  for (const key of keys) await findKeyHolder(key)
  send.mockImplementationOnce(async () => ({}))
  await findKeyHolder(newApiKey('local'))
  expect(send).toHaveBeenCalledTimes(1002)

  for (const key of keys.slice(1)) await findKeyHolder(key)
  expect(send).toHaveBeenCalledTimes(1002)
  await findKeyHolder(keys[0] ?? '')
  expect(send).toHaveBeenCalledTimes(1003)
})

test('an item of another key is never taken for that of a key', async () => {
  const other = { digest: 'of another key', keyId: 'key-1', clientId: 'ann', scopes: [scope] }
  failAlways(databaseResponse(200, { Item: marshall(other) }))

  expect(await findKeyHolder(newApiKey('local'))).toBeUndefined()
})

test.each([
  ['reads once', 'on-demand', { GetItem: 1 }],
  ['reads nothing outside of Lambda', undefined, {}],
])('a function that starts %s', retryOnBusyMachine, async (_, type, counts) => {
  vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', type)

  await warmUp()

  expect(proxy.counts).toEqual(counts)
})

test('a function starts although its first read fails', async () => {
  vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', 'provisioned-concurrency')
  failAlways(databaseResponses.accessDenied)

  await expect(warmUp()).resolves.toBeUndefined()
})
