import { setTimeout as pause } from 'node:timers/promises'
import { vi } from 'vitest'
import type { Event } from '../../shared/http.ts'
import { newApiKey } from '../../shared/model/api-key.ts'
import { endpoint, storeItem } from '../support/database.ts'
import { eventOf } from '../support/events.ts'
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'

/**
 * The functions with caches and connections of their own, as in a Lambda container; a proxy to the database; and how many
 * of the responses were a 503.
 */
export type Container = { call: typeof import('../support/call.ts')['call']; proxy: FaultProxy; failures: number }

let last: Promise<unknown> = Promise.resolve()

/** Starts a container that has read an API key. One at a time, because modules and the environment are global. */
export const startContainer = (apiKey = newApiKey('local')): Promise<Container> => {
  const container = last.then(() => start(apiKey))
  last = container
  return container
}

const start = async (apiKey: string): Promise<Container> => {
  const proxy = await startFaultProxy(endpoint)
  vi.resetModules()
  const { call } = await import('../support/call.ts')
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.endpoint
  const container = { call, proxy, failures: 0 }
  // The SDK reads the address at its first request, and keeps it.
  await sendUntil(container, listEvent({}, apiKey), isServed)
  return container
}

/** A pet that a client wants to create; its name identifies it. */
export type Wish = { name: string; apiKey: string; idempotencyKey?: string | undefined }

export const createEvent = ({ name, apiKey, idempotencyKey }: Wish): Event =>
  eventOf('createPet-created', {
    headers: { Authorization: `Bearer ${apiKey}`, 'Idempotency-Key': idempotencyKey },
    body: JSON.stringify({ name, categoryId: 7, status: 'available' }),
  })

export const changeEvent = (id: number, changes: object, apiKey: string, ifMatch?: string): Event =>
  eventOf('updatePet-changed', {
    headers: { Authorization: `Bearer ${apiKey}`, 'If-Match': ifMatch },
    id: String(id),
    body: JSON.stringify(changes),
  })

export const deleteEvent = (id: number, apiKey: string, ifMatch?: string): Event =>
  eventOf('deletePet-deleted', {
    headers: { Authorization: `Bearer ${apiKey}`, 'If-Match': ifMatch },
    id: String(id),
  })

export const listEvent = (query: Record<string, string>, apiKey: string): Event =>
  eventOf('listPets-no-parameters', { headers: { Authorization: `Bearer ${apiKey}` }, query })

/** A request, its response, and how long it took. */
export type Exchange = { event: Event; response: Awaited<ReturnType<Container['call']>>; milliseconds: number }

export const send = async (container: Container, event: Event): Promise<Exchange> => {
  const started = performance.now()
  const response = await container.call(structuredClone(event)) // A function may change its event.
  if (response.status === 503) container.failures++
  return { event, response, milliseconds: performance.now() - started }
}

/**
 * Sends a request until `isDone`, with a pause in between, as a client would. Returns all exchanges. A test that expects a
 * success uses it, because a busy machine can delay any request until its 503.
 */
export const sendUntil = async (
  container: Container,
  event: Event,
  isDone: (exchange: Exchange) => boolean,
  limit = 100,
): Promise<Exchange[]> => {
  const exchange = await send(container, event)
  if (isDone(exchange) || limit === 1) return [exchange]
  await pause(20)
  return [exchange, ...(await sendUntil(container, event, isDone, limit - 1))]
}

/** Sends a request until its response is no 503, and returns that. */
export const servedResponse = async (container: Container, event: Event): Promise<Exchange['response']> => {
  const served = (await sendUntil(container, event, isServed)).find(isServed)
  if (!served) throw new Error('Each response is a 503.')
  return served.response
}

export const isServed = ({ response }: Exchange): boolean => response.status !== 503

export const isCreated = ({ response }: Exchange): boolean => response.status === 201

/**
 * Whether the proxy's fault alone explains a response. It may not explain a 503 after 500 ms or more, the shortest time
 * limit: a busy machine can reach a limit without any fault.
 */
export const isInTime = ({ response, milliseconds }: Exchange): boolean => response.status !== 503 || milliseconds < 500

/** Stores a pet of another client unless the id is in use, and returns whether it did. */
export const takeId = (id: number): Promise<boolean> =>
  storeItem({ id, name: 'Another', categoryId: 1, status: 'sold', shard: 0, statusShard: 'sold#0', revision: 'x' })
