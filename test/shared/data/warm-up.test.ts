import { beforeEach, expect, test, vi } from 'vitest'
import { newApiKey } from '../../../shared/model/api-key.ts'
import { answers, type Fault } from '../../support/faults.ts'
import { always, once, proxy, storeKey } from './faulty-database.ts'

beforeEach(() => {
  always('pass')
  proxy.counts = {}
  return () => vi.unstubAllEnvs()
})

/** The API keys of a process that has just been started: in Lambda, if `initialization` says how. */
const start = async (initialization?: string) => {
  vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', initialization)
  vi.resetModules()
  const { find, warmUp } = await import('../../../shared/data/api-keys.ts')
  warmUp()
  return { find }
}

const storedKey = async () => {
  const key = newApiKey('local')
  await storeKey(key)
  return key
}

test('a function reads while it starts, and its first request reads after that', async () => {
  const key = await storedKey()
  const { promise: fault, resolve: answer } = Promise.withResolvers<Fault>()
  proxy.faultOf = () => fault

  const { find } = await start('on-demand')
  const found = find(key)
  await vi.waitUntil(() => proxy.counts.GetItem)
  const before = { ...proxy.counts }
  answer('pass')

  expect(await found).toMatchObject({ keyId: 'key-1' })
  expect([before, proxy.counts]).toEqual([{ GetItem: 1 }, { GetItem: 2 }])
})

test('what is wrong while it starts is not what its first request is told', async () => {
  const key = await storedKey()
  once({ GetItem: answers.accessDenied })

  const { find } = await start('provisioned-concurrency')

  expect(await find(key)).toMatchObject({ keyId: 'key-1' })
  expect(proxy.counts).toEqual({ GetItem: 2 })
})

test('outside of Lambda nothing is read before there is a request', async () => {
  const key = await storedKey()

  const { find } = await start()

  expect(await find(key)).toMatchObject({ keyId: 'key-1' })
  expect(proxy.counts).toEqual({ GetItem: 1 })
})
