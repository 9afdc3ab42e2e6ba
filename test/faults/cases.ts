import { setTimeout as pause } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { atMost } from '../../infra/local/queue.ts'
import { tableIds, tableName } from '../../shared/data/tables.ts'
import { newApiKey } from '../../shared/model/api-key.ts'
import type { Event } from '../../shared/pipeline/http.ts'
import { service } from '../../shared/service.ts'
import { endpoint, storeKey } from '../support/database.ts'
import { type errorResponse, eventOf, responseTo, unavailable } from '../support/events.ts'
import { example } from '../support/example.ts'
import { type Call, type Fault, type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'
import { ALL, type FaultKind } from './fault-kinds.ts'

/** A way in which a request uses the database. */
export type Way = {
  /** The requests to the database, when there are no faults. */
  calls: string[]
  /**
   * Changes the database right before it gets the first write. Its argument is the id of the last
   * item that is put.
   */
  meanwhile?: (id: number) => Promise<unknown>
  /** The request of the client, one of many. */
  event: (apiKey: string, number: number) => Event
  /** Stores what exists before. */
  exists?: (number: number) => Promise<unknown>
  /**
   * The responses that a client gets without faults: to its request, and to a retry if that has an
   * idempotency key.
   */
  served: string
  /** The responses to its retries after a 503. */
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
  // Once, as often as the SDK retries a request, as often as it sends a transaction, and until the
  // client gives up.
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

/**
 * The functions with caches and connections of their own, as in a Lambda container, and a proxy to
 * the database.
 */
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
    await sendUntilServed(container, eventFrom(newApiKey('local'), example.events.list))
    return container
  })

/** A request, its response, and how long it took. */
export type Exchange = {
  event: Event
  response: Awaited<ReturnType<Container['call']>>
  milliseconds: number
}

const send = async (container: Container, event: Event): Promise<Exchange> => {
  const started = performance.now()
  const response = await container.call(structuredClone(event)) // A function may change its event.
  // Failed retries use up the retry quota, which each container has once.
  if (response.status === 503) container.uses++
  return { event, response, milliseconds: performance.now() - started }
}

/**
 * Sends a request until it is no 503, because a busy machine can delay any request until its 503.
 * Returns all exchanges.
 */
const sendUntilServed = async (
  container: Container,
  event: Event,
  limit = 100,
): Promise<Exchange[]> => {
  const exchange = await send(container, event)
  if (isServed(exchange) || limit === 1) return [exchange]
  await pause(20) // As a client would.
  return [exchange, ...(await sendUntilServed(container, event, limit - 1))]
}

const isServed = ({ response }: Exchange): boolean => response.status !== 503

let number = 0
const idle: Container[] = []

/**
 * Sends a request with faults, and retries it without them, in a container that no other case uses
 * at the same time. Returns the exchanges, the responses in short, and the calls and faults that
 * the first request met.
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

/**
 * Applies the faults of a case until the returned function is called. It returns the requests and
 * how many faults they met.
 */
const startFaults = ({ proxy }: Container, { fault, from, times, only, way }: Case<Way>) => {
  const met = { calls: [] as string[], faults: 0 }
  let { meanwhile } = way
  let isOver = false
  let changed: Promise<unknown> | undefined
  let refused: Promise<void> | undefined
  proxy.faultOf = async (call: Call): Promise<Fault> => {
    const name = nameOf(call)
    if (meanwhile && call.operation === 'TransactWriteItems') {
      changed = meanwhile(Number(JSON.parse(call.body).TransactItems.at(-1).Put.Item.id.N))
      meanwhile = undefined
    }
    await changed // On a busy machine, the SDK may resend the call before that.
    if (isOver) return 'pass'
    const count = met.calls.push(name)
    // On a busy machine, the SDK may have sent a request twice before, so that this call is of
    // another kind.
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
  return [operation, ...names.map((name) => tableIds.find((id) => tableName(id) === name))].join(
    ' ',
  )
}

type Resource = { path: string; body: { id: unknown }; revision: unknown }
type Expected = Omit<ReturnType<typeof errorResponse>, 'status'>

/**
 * Expects that a case met its faults, and got the responses that its way says. They are whole:
 * those of success have the resource at its path, unless `others` has one for their status.
 */
export const expectResponses = (
  { each, exchanges, responses, ...met }: Awaited<ReturnType<typeof run>>,
  { path, body, revision }: Resource,
  others: Record<number, Expected | undefined>,
) => {
  const { title, way, fault, overcome, from, times, only } = each
  const [first] = exchanges
  // A 503 after 500 ms or more, the shortest time limit, may have another cause: a busy machine can
  // reach it without a fault.
  const isInTime = isServed(first) || first.milliseconds < 500
  if (fault === 'pass' && first.milliseconds < 500) expect(met.calls, title).toEqual(way.calls)
  if (isInTime) expect(met.faults, title).toBeGreaterThan(0)
  // On a busy machine, the SDK may reach a time limit before it gets the fault, and resend the
  // request.
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
    const created = { Location: `${service.basePath}${path}/${body.id}`, ETag, ...isReplay }
    const successes = {
      200: { headers: { ETag, ...isReplay }, body },
      201: { headers: created, body },
    }
    const all: Record<number, Expected | undefined> = { 503: unavailable, ...successes, ...others }
    expect(response, title).toEqual(responseTo(event, { ...all[status], status }))
  }
}
