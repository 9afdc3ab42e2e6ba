import { canceled, databaseResponses, type Fault } from '../support/fault-proxy.ts'

/**
 * What happens to a request to the database: a fault of the proxy, or refused connections from then
 * on. A `harmless` one changes no response. One that is `transient` succeeds when it is resent, and
 * a `fatal` one is not resent. `waits` marks faults that take time but little CPU; `only` those of
 * transactions.
 */
export type FaultKind = {
  fault: Fault | 'refuse'
  effect: 'harmless' | 'transient' | 'fatal'
  waits?: true
  only?: 'TransactWriteItems'
}

const { throttling, internalServerError, malformed, transactionInProgress } = databaseResponses

// The SDK's `requestTimeout` is 1000 ms.
const TOO_LATE = 1400

const transient = (fault: Fault) => ({ fault, effect: 'transient' }) as const
const slow = (fault: Fault) => ({ ...transient(fault), waits: true }) as const
const ofWrites = (fault: Fault) => ({ ...slow(fault), only: 'TransactWriteItems' }) as const

export const faultKinds: Record<string, FaultKind> = {
  'no fault': { fault: 'pass', effect: 'harmless' },
  'a connection that breaks before the request': transient('cut'),
  'a connection that breaks before the response': transient({ carriedOut: 'cut' }),
  'a server error after the execution': transient({ carriedOut: internalServerError }),
  throttling: slow(throttling),
  'a request that arrives too late': slow({ delayed: TOO_LATE }),
  'no response after the execution': slow({ carriedOut: 'silence' }),
  'a conflict': ofWrites(canceled('None', 'TransactionConflict')),
  'a transaction in progress after the execution': ofWrites({ carriedOut: transactionInProgress }),
  'truncated JSON after the execution': { fault: { carriedOut: malformed }, effect: 'fatal' },
  'an endless response after the execution': {
    fault: { carriedOut: 'drip' },
    effect: 'fatal',
    waits: true,
  },
  'refused connections': { fault: 'refuse', effect: 'fatal' },
}
