import { beforeEach, expect, test, vi } from 'vitest'
import { warmUp } from '../../../shared/data/api-keys.ts'
import { answers, type Fault } from '../../support/fault-proxy.ts'
import { always, proxy } from './faulty-database.ts'

beforeEach(() => {
  always('pass')
  proxy.counts = {}
  return () => vi.unstubAllEnvs()
})

test('a function is ready when its first read is done', async () => {
  vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', 'on-demand')
  const { promise: fault, resolve: answer } = Promise.withResolvers<Fault>()
  proxy.faultOf = () => fault
  let isReady = false

  const ready = warmUp().then(() => {
    isReady = true
  })
  await vi.waitUntil(() => proxy.counts.GetItem)
  const before = isReady
  answer('pass')
  await ready

  expect({ before, counts: proxy.counts }).toEqual({ before: false, counts: { GetItem: 1 } })
})

test('what is wrong while a function starts keeps it from nothing', async () => {
  vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', 'provisioned-concurrency')
  always(answers.accessDenied)

  await expect(warmUp()).resolves.toBeUndefined()
  expect(proxy.counts).toEqual({ GetItem: 1 })
})

test('outside of Lambda nothing is read before there is a request', async () => {
  vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', undefined)

  await warmUp()

  expect(proxy.counts).toEqual({})
})
