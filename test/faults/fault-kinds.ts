import { canceled, databaseResponses, type Fault } from '../support/fault-proxy.ts'

/**
 * What happens to a request to the database: a fault of the proxy, or refused connections from then
 * on. `overcome` is the number of consecutive faults that the SDK overcomes by retries; it makes
 * three attempts within the time budget. `waits` marks faults that take time but little CPU; `only`
 * those of transactions, which the service itself resends after the SDK.
 */
export type FaultKind = {
  fault: Fault | 'refuse'
  overcome: number
  waits?: true
  only?: 'TransactWriteItems'
}

const { throttling, internalServerError, malformed, transactionInProgress } = databaseResponses

// The SDK's `requestTimeout` is 1000 ms.
const [IN_TIME, TOO_LATE] = [200, 1400]
export const ALL = Number.POSITIVE_INFINITY

/** A fault of transactions. */
const ofWrites = (fault: Fault, overcome: number): FaultKind => {
  return { fault, overcome, waits: true, only: 'TransactWriteItems' }
}

export const faultKinds: Record<string, FaultKind> = {
  'no fault': { fault: 'pass', overcome: ALL },
  'a connection that breaks before the response': { fault: { carriedOut: 'cut' }, overcome: 2 },
  // The pauses before the third attempt of a throttled request can use up the time budget.
  throttling: { fault: throttling, overcome: 1, waits: true },
  'a request that arrives too late': {
    fault: { late: 'request', milliseconds: TOO_LATE },
    overcome: 1,
    waits: true,
  },
  'truncated JSON after the execution': { fault: { carriedOut: malformed }, overcome: 0 },
  'refused connections': { fault: 'refuse', overcome: 0 },
  'a conflict': ofWrites(canceled('None', 'TransactionConflict'), 3),
  'a connection that breaks before the request': { fault: 'cut', overcome: 2 },
  'a server error after the execution': { fault: { carriedOut: internalServerError }, overcome: 2 },
  'no response after the execution': { fault: { carriedOut: 'silence' }, overcome: 1, waits: true },
  'late responses': {
    fault: { late: 'response', milliseconds: IN_TIME },
    overcome: ALL,
    waits: true,
  },
  'an endless response after the execution': {
    fault: { carriedOut: 'drip' },
    overcome: 0,
    waits: true,
  },
  'a transaction in progress after the execution': ofWrites(
    { carriedOut: transactionInProgress },
    1,
  ),
}
