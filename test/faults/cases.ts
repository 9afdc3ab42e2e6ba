import { setTimeout as pause } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { atMost } from '../../infra/local/queue.ts'
import { tableIds, tableName } from '../../shared/data/tables.ts'
import { newApiKey } from '../../shared/model/api-key.ts'
import type { ProxyEvent } from '../../shared/pipeline/http.ts'
import { service } from '../../shared/service.ts'
import { endpoint, storeKey } from '../support/database.ts'
import { type errorResponse, eventOf, responseTo, unavailable } from '../support/events.ts'
import { type Call, type Fault, type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'
import { ALL, type FaultKind } from './fault-kinds.ts'

/** A way in which a request uses the database. */
export type Way = {
  /** The requests to the database, when there are no faults. */
  calls: string[]
  /** Changes the database right before it gets the first write, which puts this id. */
  meanwhile?: (id: number) => Promise<unknown>
  /** The request of the client, one of many. */
  event: (apiKey: string, number: number) => ProxyEvent
  /** Stores what exists before. */
  exists?: (number: number) => Promise<unknown>
  /** The responses without faults: to the request, and to a retry if it has a key. */
  served: string
  /** The responses to the retries after a 503. */
  retried: string[]
}

/** A request with faults: from which of its requests to the database on, and how many in a row. */
type Case<Each extends Way> = FaultKind & { title: string; way: Each; from: number; times: number }

/** A kind of fault at each request to the database of each way. */
export const casesOf = <Each extends Way>(
  ways: Record<string, Each>,
  title: string,
  kind: FaultKind,
): Case<Each>[] => {
  const caseOf = (name: string, way: Each, i: number, times: number) => {
    const place = `from ${i + 1}, ${way.calls[i]}, of ${name}`
    return { ...kind, title: `${times} times ${title}, ${place}`, way, from: i + 1, times }
  }
  const entries = Object.entries(ways)
  if (kind.overcome === ALL) return entries.map(([name, way]) => caseOf(name, way, 0, 1000))
  // Once, as often as the SDK retries a request, as often as the service sends a transaction, and
  // until the client gives up.
  const allTimes = kind.overcome === 0 ? [1] : [1, 2, ...(kind.only ? [3] : []), 1000]
  return entries.flatMap(([name, way], number) =>
    way.calls.flatMap((call, i) => {
      // All ways begin with the same request, for the API key.
      const isOther = !call.startsWith(kind.only ?? '') || (i === 0 && number > 0)
      return isOther ? [] : allTimes.map((times) => caseOf(name, way, i, times))
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
  call: typeof import('../support/call.ts')['call']
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
    const { call } = await import('../support/call.ts')
    process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.endpoint
    const container = { call, proxy, uses: 0 }
    // The SDK reads the address at its first request, and keeps it.
    await sendUntilServed(container, eventFrom(newApiKey('local'), 'listPets-no-parameters'))
    return container
  })

/** A request, its response, and how long it took. */
export type Exchange = {
  event: ProxyEvent
  response: Awaited<ReturnType<Container['call']>>
  milliseconds: number
}

const send = async (container: Container, event: ProxyEvent): Promise<Exchange> => {
  const started = performance.now()
  const response = await container.call(structuredClone(event)) // A function may change its event.
  // Failed retries use up the retry quota, which each container has once.
  if (response.status === 503) container.uses++
  return { event, response, milliseconds: performance.now() - started }
}

/** Sends a request until it is no 503, which on a busy machine any request can get. */
const sendUntilServed = async (container: Container, event: ProxyEvent): Promise<Exchange[]> => {
  const exchanges: Exchange[] = []
  while (exchanges.length < 100) {
    const exchange = await send(container, event)
    exchanges.push(exchange)
    if (isServed(exchange)) break
    await pause(20) // As a client would.
  }
  return exchanges
}

const isServed = ({ response }: Exchange): boolean => response.status !== 503

let number = 0
const idle: Container[] = []

/**
 * Sends a request with faults, and retries it without them, in a container of its own. Returns the
 * exchanges, the responses in short, and the calls and faults that the first request met.
 */
export const run = <Each extends Way>(each: Case<Each>) =>
  limits[each.waits ? 'waiting' : 'working'](async () => {
    const container = idle.pop() ?? (await startContainer())
    const { exists, event: eventOf, retried } = each.way
    const own = ++number
    await exists?.(own)
    const event = eventOf(await storeKey(), own)
    const endFaults = startFaults(container, each)
    const exchanges: [Exchange, ...Exchange[]] = [await send(container, event)]
    const met = await endFaults()
    if (retried[0] && !isServed(exchanges[0]))
      exchanges.push(...(await sendUntilServed(container, event)))
    // The retry of a client that did not get the response.
    if ('Idempotency-Key' in event.headers)
      exchanges.push(...(await sendUntilServed(container, event)))
    await container.proxy.settled()
    container.proxy.faultOf = () => 'pass'
    if (++container.uses < 10) idle.push(container)
    const served = exchanges
      .filter((exchange, i) => i === 0 || isServed(exchange))
      .map(({ response }) => response)
    const names = served.map(({ status, headers }) =>
      'Idempotent-Replayed' in headers ? 'replay' : status,
    )
    return { each, number: own, exchanges, responses: names.join(' '), ...met }
  })

/** Applies the faults of a case until the returned function is called, which says what they met. */
const startFaults = ({ proxy }: Container, { fault, from, times, only, way }: Case<Way>) => {
  const met = { calls: [] as string[], faults: 0 }
  let { meanwhile } = way
  let isOver = false
  let changed: Promise<unknown> | undefined
  let refused: Promise<void> | undefined
  proxy.faultOf = async (call: Call): Promise<Fault> => {
    const name = nameOf(call)
    if (meanwhile && call.operation === 'TransactWriteItems') {
      changed = meanwhile(Number(/"id":\{"N":"(\d+)"/.exec(call.body)?.[1]))
      meanwhile = undefined
    }
    await changed // On a busy machine, the SDK may resend the call before that.
    if (isOver) return 'pass'
    const count = met.calls.push(name)
    // On a busy machine, the SDK may have resent a request, so that this call is of another kind.
    const isFaulty = count >= from && met.faults < times && name.startsWith(only ?? '')
    if (isFaulty) met.faults++
    if (!isFaulty) return 'pass'
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
const nameOf = ({ operation, body }: Call): string => {
  const names = [...body.matchAll(/"TableName":"([^"]+)"/g)].map(([, name]) => name)
  const ids = names.map((name) => tableIds.find((id) => tableName(id) === name))
  return [operation, ...ids].join(' ')
}

type Resource = { path: string; body: { id: unknown }; revision: unknown }
type Expected = Omit<ReturnType<typeof errorResponse>, 'status'>

/**
 * Expects that a case met its faults and got the responses of its way, each of them whole. Those of
 * success have the pet or order, unless `others` has a response for the status.
 */
export const expectResponses = (
  { each, exchanges, responses, ...met }: Awaited<ReturnType<typeof run>>,
  { path, body, revision }: Resource,
  others: Record<number, Expected | undefined>,
) => {
  const { title, way, fault, overcome, from, times, only } = each
  const [first] = exchanges
  // A busy machine can reach a time limit, of which the shortest is 500 ms, without a fault.
  const isInTime = isServed(first) || first.milliseconds < 500
  if (fault === 'pass' && first.milliseconds < 500) expect(met.calls, title).toEqual(way.calls)
  if (isInTime) expect(met.faults, title).toBeGreaterThan(0)
  const mustFail =
    (overcome === 0 && first.milliseconds < 500) || (times > (only ? 3 : 2) && times > overcome)
  // The SDK sends a request three times at most.
  if (mustFail && !only) expect(met.calls.length, title).toBeLessThan(from + 3)
  const mustSucceed = times <= overcome && isInTime
  const retried = mustSucceed ? [] : way.retried.map((last) => `503 ${last}`.trim())
  expect(responses, title).toBeOneOf(mustFail ? retried : [way.served, ...retried])

  const ETag = `"${body.id}-${revision}"`
  for (const { event, response } of exchanges) {
    const { status, headers } = response
    const isReplay = 'Idempotent-Replayed' in headers && { 'Idempotent-Replayed': 'true' }
    const Location = `${service.basePath}${path}/${body.id}`
    const all: Record<number, Expected | undefined> = {
      200: { headers: { ETag }, body },
      201: { headers: { Location, ETag }, body },
      503: unavailable,
      ...others,
    }
    const expected = { ...all[status], status, headers: { ...all[status]?.headers, ...isReplay } }
    expect(response, title).toEqual(responseTo(event, expected))
  }
}
