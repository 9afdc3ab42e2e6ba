import { atMost } from '../../infra/local/server.ts'
import { type Call, canceled, databaseResponses, type Fault, lostResponse } from '../support/fault-proxy.ts'
import { type Container, type Exchange, isInTime, startContainer } from './container.ts'

/** Whether to run all faults (`npm run test:faults`) or part of them (`npm test`). */
export const runsAll = process.env.FAULTS === 'all'

/**
 * What happens to a request to the database: a fault of the proxy, or refused connections from then on. `overcome` is the
 * number of consecutive faults that the SDK overcomes by retries; it makes three attempts within the time budget. `waits`
 * marks faults that take time but little CPU; `only` those of transactions, which
 * the service itself resends after the SDK.
 */
type FaultKind = { fault: Fault | 'refuse'; overcome: number; waits?: true; only?: 'TransactWriteItems' }

const { throttling, throughputExceeded, internalServerError, html, malformed } = databaseResponses
const { transactionInProgress } = databaseResponses

// The SDK's `requestTimeout` is 1000 ms.
const IN_TIME = 200
const TOO_LATE = 1400

const ALL = Number.POSITIVE_INFINITY

const mainKinds: Record<string, FaultKind> = {
  'a connection that breaks before the response': { fault: { carriedOut: 'cut' }, overcome: 2 },
  // The pauses before the third attempt of a throttled request can use up the time budget.
  throttling: { fault: throttling, overcome: 1, waits: true },
  'a request that arrives too late': { fault: { late: 'request', milliseconds: TOO_LATE }, overcome: 1, waits: true },
  'truncated JSON after the execution': { fault: { carriedOut: malformed }, overcome: 0 },
  'refused connections': { fault: 'refuse', overcome: 0 },
  'a conflict': {
    fault: canceled('None', 'TransactionConflict'),
    overcome: 3,
    waits: true,
    only: 'TransactWriteItems',
  },
}

const moreKinds: Record<string, FaultKind> = {
  'a connection that breaks before the request': { fault: 'cut', overcome: 2 },
  'a server error after the execution': { fault: { carriedOut: internalServerError }, overcome: 2 },
  'a server error': { fault: internalServerError, overcome: 2 },
  'exceeded throughput': { fault: throughputExceeded, overcome: 1, waits: true },
  'no response': { fault: 'silence', overcome: 1, waits: true },
  'no response after the execution': { fault: { carriedOut: 'silence' }, overcome: 1, waits: true },
  'a response that arrives too late': { fault: { late: 'response', milliseconds: TOO_LATE }, overcome: 1, waits: true },
  'a late request': { fault: { late: 'request', milliseconds: IN_TIME }, overcome: ALL, waits: true },
  'a late response': { fault: { late: 'response', milliseconds: IN_TIME }, overcome: ALL, waits: true },
  'an endless response': { fault: 'drip', overcome: 0, waits: true },
  'an endless response after the execution': { fault: { carriedOut: 'drip' }, overcome: 0, waits: true },
  HTML: { fault: html, overcome: 0 },
  'HTML after the execution': { fault: { carriedOut: html }, overcome: 0 },
  'a throttled transaction': {
    fault: canceled('ThrottlingError', 'TransactionConflict'),
    overcome: 3,
    waits: true,
    only: 'TransactWriteItems',
  },
  'a transaction in progress': { fault: transactionInProgress, overcome: 1, waits: true, only: 'TransactWriteItems' },
  'a transaction in progress after the execution': {
    ...{ fault: { carriedOut: transactionInProgress }, overcome: 1, waits: true, only: 'TransactWriteItems' },
  },
  'truncated JSON': { fault: malformed, overcome: 0 },
}

/** All kinds, or those that differ most. */
export const faultKinds = runsAll ? { ...mainKinds, ...moreKinds } : mainKinds

/** Those that make the database unavailable while they last. */
export const outages = Object.entries(faultKinds).filter(([, { overcome, only }]) => overcome !== ALL && !only)

/** A way in which a request uses the database. */
export type Way = {
  /** The requests to the database, when there are no faults. */
  calls: string[]
  /** The kind of request whose first response gets lost. */
  loses?: string
  /** Changes the database right before it gets a request. */
  meanwhile?: () => (call: Call) => Promise<unknown>
}

/** A request with faults: from which of its requests to the database on, and how many in a row. */
export type Case<Each extends Way> = FaultKind & { title: string; way: Each; from: number; times: number }

/** A request without faults. */
export const withoutFaults = <Each extends Way>(title: string, way: Each): Case<Each> => ({
  ...{ title, way, fault: 'pass', overcome: 0, from: 1, times: 0 },
})

/** A kind of fault at each request to the database of each way. */
export const casesOf = <Each extends Way>(ways: Record<string, Each>, title: string, kind: FaultKind): Case<Each>[] => {
  // Once, as often as the SDK retries a request, as often as it sends it, and until the client gives up.
  const allTimes = runsAll && kind.fault !== 'refuse' ? [1, 2, 3, 1000] : [1]
  return Object.entries(ways).flatMap(([name, way]) =>
    way.calls.flatMap((call, i) => {
      if (!call.startsWith(kind.only ?? '')) return []
      return allTimes.map((times) => {
        const caseTitle = `${times} times ${title}, from request ${i + 1} (${call}) of ${name}`
        return { ...kind, title: caseTitle, way, from: i + 1, times }
      })
    }),
  )
}

/** Whether a request with faults can succeed, and whether it can fail. */
export const possible = ({ overcome, times, only, way }: Case<Way>, first: Exchange) => {
  // On a busy machine, the SDK may reach a time limit before it gets the fault, and resend the request.
  const mustFail = (overcome === 0 && first.milliseconds < 500) || (times > (only ? 3 : 2) && times > overcome)
  // A lost response uses up a retry, too.
  const mustSucceed = times <= overcome && isInTime(first) && !way.loses
  return { success: !mustFail, failure: !mustSucceed }
}

// With more at once, requests would wait for each other until they exceed their time limits.
const limits = { waiting: atMost(24), working: atMost(4) }

/** Runs a case in a container that no other case uses at the same time. */
export const runCase = <Outcome>(each: Case<Way>, run: (container: Container) => Promise<Outcome>): Promise<Outcome> =>
  limits[each.waits ? 'waiting' : 'working'](async () => {
    const { container, uses } = idle.pop() ?? { container: await startContainer(), uses: 0 }
    const outcome = await run(container)
    await container.proxy.settled()
    container.proxy.faultOf = () => 'pass'
    if (uses + container.failures < MAX_USES) idle.push({ container, uses: uses + 1 })
    return outcome
  })

const idle: { container: Container; uses: number }[] = []
// Failed retries use up the retry quota, which each container has once. On a busy machine, more of them fail.
const MAX_USES = 10

/** Applies the faults of a case until the returned function is called. It returns the requests and how many faults they met. */
export const startFaults = ({ proxy }: Container, { fault, from, times, way }: Case<Way>) => {
  const meanwhile = way.meanwhile?.()
  const met = { calls: [] as string[], faults: 0 }
  let isOver = false
  let toLose = way.loses
  let refused: Promise<void> | undefined
  proxy.faultOf = async (call: Call): Promise<Fault> => {
    await meanwhile?.(call)
    if (isOver) return 'pass'
    const number = met.calls.push(nameOf(call))
    const isLost = nameOf(call) === toLose
    if (isLost) toLose = undefined
    if (number < from || number >= from + times) return isLost ? lostResponse : 'pass'
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

/** A request to the database in short, such as `GetItem Pets`. */
export const nameOf = ({ operation, body }: Call): string =>
  [operation, ...[...body.matchAll(/"TableName":"PetStoreLocal-(\w+)"/g)].map(([, table]) => table)].join(' ')
