import { vi } from 'vitest'
import { newApiKey } from '../../shared/model/api-key.ts'
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'
import { getEvent } from './events.ts'
import { endpoint } from './stored.ts'

type Call = typeof import('../functions/call.ts')['call']

/** A process of Lambda's in which the functions run: they remember nothing of others, and have a proxy of their own. */
export type Container = { call: Call; proxy: FaultProxy }

let turn: Promise<unknown> = Promise.resolve()

/** Starts one; one after the other, since modules are loaded and the environment is read where all can see it. */
export const startContainer = (): Promise<Container> => {
  const started = turn.then(start)
  turn = started
  return started
}

const start = async (): Promise<Container> => {
  const proxy = await startFaultProxy(endpoint)
  vi.resetModules()
  const { call } = await import('../functions/call.ts')
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.endpoint
  // The SDK reads its address at its first call, and keeps it.
  await call(getEvent(1, newApiKey('local')))
  process.env.AWS_ENDPOINT_URL_DYNAMODB = endpoint
  return { call, proxy }
}
