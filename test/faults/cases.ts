import { vi } from 'vitest'
import { atMost } from '../../infra/local/queue.ts'
import { tableIds, tableName } from '../../shared/data/tables.ts'
import { newApiKey } from '../../shared/model/api-key.ts'
import type { ProxyEvent } from '../../shared/pipeline/gateway-event.ts'
import { endpoint, storeKey } from '../support/database.ts'
import { eventOf } from '../support/events.ts'
import {
  type DatabaseCall,
  type Fault,
  type FaultProxy,
  startFaultProxy,
} from '../support/fault-proxy.ts'
import { untilServed } from '../support/http.ts'
import type { FaultKind } from './fault-kinds.ts'

/** A way in which a request uses the database. */
export type Way = {
  /** The requests to the database, when there are no faults. */
  calls: string[]
  /** The request of the client, one of many. */
  event: (apiKey: string, number: number) => ProxyEvent
  /** Stores what exists before. */
  exists?: (number: number) => Promise<unknown>
}

/** A request with faults: from which of its requests to the database on, and how many in a row. */
export type FaultCase<Each extends Way> = FaultKind & {
  title: string
  way: Each
  from: number
  times: number
}

const UNTIL_THE_CLIENT_GIVES_UP = 1000

/** A kind of fault at each request to the database of each way. */
export const casesOf = <Each extends Way>(
  ways: Record<string, Each>,
  title: string,
  kind: FaultKind,
): FaultCase<Each>[] => {
  const { effect, only = '' } = kind
  const allTimes =
    effect === 'transient' ? [1, UNTIL_THE_CLIENT_GIVES_UP] : [UNTIL_THE_CLIENT_GIVES_UP]
  return Object.entries(ways).flatMap(([name, way], number) =>
    way.calls.flatMap((call, i) => {
      // All ways begin with the same request, for the API key. Harmless faults begin there.
      const isOther = effect === 'harmless' ? i > 0 : i === 0 && number > 0
      if (isOther || !call.startsWith(only)) return []
      return allTimes.map((times) => {
        const place = `from ${i + 1}, ${call}, of ${name}`
        return { ...kind, title: `${times} times ${title}, ${place}`, way, from: i + 1, times }
      })
    }),
  )
}

/** The event of this name, as a client with this API key sends it. */
export const eventFrom = (
  apiKey: string,
  name: string,
  { headers, ...changes }: Parameters<typeof eventOf>[1] = {},
) => eventOf(name, { ...changes, headers: { Authorization: `Bearer ${apiKey}`, ...headers } })

/** The functions with caches and connections of their own, and a proxy to the database. */
type Container = {
  invoke: typeof import('../support/invoke.ts')['invoke']
  proxy: FaultProxy
  uses: number
}

// One container starts at a time, because modules and the environment are global. With more cases
// at once, requests would wait for each other until they exceed their time limits.
const limits = { starting: atMost(1), waiting: atMost(24), working: atMost(4) }

const startContainer = (): Promise<Container> =>
  limits.starting(async () => {
    const proxy = await startFaultProxy(endpoint)
    vi.resetModules()
    const { invoke } = await import('../support/invoke.ts')
    process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.endpoint
    const container = { invoke, proxy, uses: 0 }
    // The SDK reads the address at its first request, and keeps it.
    await exchangeUntilServed(container, eventFrom(newApiKey('local'), 'listPets-no-parameters'))
    return container
  })

/** A request, its response, and how long it took. */
export type Exchange = {
  event: ProxyEvent
  response: Awaited<ReturnType<Container['invoke']>>
  milliseconds: number
}

const send = async (container: Container, event: ProxyEvent): Promise<Exchange> => {
  const started = performance.now()
  const response = await container.invoke(structuredClone(event)) // A function may change its event.
  // Failed retries use up the retry quota, which each container has once.
  if (response.status === 503) container.uses++
  return { event, response, milliseconds: performance.now() - started }
}

/** Repeats a request while it gets a 503, which on a busy machine any request can get. */
const exchangeUntilServed = async (
  container: Container,
  event: ProxyEvent,
): Promise<Exchange[]> => {
  const exchanges: Exchange[] = []
  const request = async () => {
    const exchange = await send(container, event)
    exchanges.push(exchange)
    return exchange.response
  }
  await untilServed(request, () => 20, 100) // It pauses as a client would.
  return exchanges
}

export const isServed = ({ response }: Exchange): boolean => response.status !== 503

let number = 0
const idle: Container[] = []

/**
 * Sends a request with faults, and retries it without them if it got a 503 or has a key, in a
 * container of its own. A request that creates without a key is not retried. Returns the exchanges,
 * the responses in short, and the calls and faults that the first request met.
 */
export const runCase = <Each extends Way>(each: FaultCase<Each>) =>
  limits[each.waits ? 'waiting' : 'working'](async () => {
    const container = idle.pop() ?? (await startContainer())
    const own = ++number
    await each.way.exists?.(own)
    const event = each.way.event(await storeKey(), own)
    const endFaults = startFaults(container.proxy, each)
    const exchanges: [Exchange, ...Exchange[]] = [await send(container, event)]
    const met = await endFaults()
    const isKeyed = 'Idempotency-Key' in event.headers
    const canRetry = isKeyed || event.httpMethod !== 'POST'
    if (canRetry && !isServed(exchanges[0]))
      exchanges.push(...(await exchangeUntilServed(container, event)))
    // The retry of a client that did not get the response.
    if (isKeyed) exchanges.push(...(await exchangeUntilServed(container, event)))
    await container.proxy.settled()
    container.proxy.faultOf = () => 'pass'
    if (++container.uses < 10) idle.push(container)
    return { each, number: own, exchanges, responses: inShort(exchanges), ...met }
  })

/** The first response and those that are no 503. */
const inShort = (exchanges: Exchange[]): string => {
  const told = exchanges.filter((exchange, i) => i === 0 || isServed(exchange))
  return told
    .map(({ response: { status, headers } }) =>
      'Idempotent-Replayed' in headers ? 'replay' : status,
    )
    .join(' ')
}

/** Applies the faults of a case until the returned function is called, which says what they met. */
const startFaults = (proxy: FaultProxy, { fault, from, times, only }: FaultCase<Way>) => {
  const met = { calls: [] as string[], faults: 0 }
  let isOver = false
  let refused: Promise<void> | undefined
  proxy.faultOf = (call: DatabaseCall): Fault => {
    const name = nameOf(call)
    if (isOver) return 'pass'
    const count = met.calls.push(name)
    // On a busy machine, the SDK may have resent a request, so that this call is of another kind.
    const isFaulty = count >= from && met.faults < times && name.startsWith(only ?? '')
    if (!isFaulty) return 'pass'
    met.faults++
    if (fault !== 'refuse') return fault
    refused ??= proxy.refuse()
    return 'cut'
  }
  return async () => {
    isOver = true
    await refused?.then(proxy.accept)
    return met
  }
}

/** A request to the database in short, such as `GetItem apiKeys`. */
const nameOf = ({ operation, body }: DatabaseCall): string => {
  const names = [...body.matchAll(/"TableName":"([^"]+)"/g)].map(([, name]) => name)
  const ids = names.map((name) => tableIds.find((id) => tableName(id) === name))
  return [operation, ...ids].join(' ')
}
