import { answers, type Fault } from '../support/fault-proxy.ts'
import { isWhole } from './size.ts'

/**
 * What can become of a call: a fault on the wire, or that from then on connections are refused. `overcome` is how many
 * of them in a row the SDK retries until it is served; it makes three attempts at a call, within the time budget.
 * `waits` says that most of the time it takes is spent waiting.
 */
export type FaultKind = { fault: Fault | 'refuse'; overcome: number; waits?: true }

const { throttling, throughputExceeded, internalServerError, html, malformed } = answers

// What the SDK waits for is a second (`requestTimeout`), so these are well within it, and well beyond.
const IN_TIME = 200
const TOO_LATE = 1400

const ALL = Number.POSITIVE_INFINITY

const kinds: Record<string, FaultKind> = {
  'a connection that breaks before the request': { fault: 'cut', overcome: 2 },
  'a connection that breaks before the answer': { fault: { carriedOut: 'cut' }, overcome: 2 },
  'an error of the database that has carried it out': { fault: { carriedOut: internalServerError }, overcome: 2 },
  // The pauses before the third attempt at a call that is throttled can take all of the time budget.
  throttling: { fault: throttling, overcome: 1, waits: true },
  'a request that comes too late': { fault: { late: 'request', milliseconds: TOO_LATE }, overcome: 1, waits: true },
  'JSON that was cut, of what was carried out': { fault: { carriedOut: malformed }, overcome: 0 },
  'connections that are refused': { fault: 'refuse', overcome: 0 },
}

const moreKinds: Record<string, FaultKind> = {
  'an error of the database': { fault: internalServerError, overcome: 2 },
  'too little throughput': { fault: throughputExceeded, overcome: 1, waits: true },
  'no answer': { fault: 'silence', overcome: 1, waits: true },
  'no answer, to what was carried out': { fault: { carriedOut: 'silence' }, overcome: 1, waits: true },
  'an answer that comes too late': { fault: { late: 'answer', milliseconds: TOO_LATE }, overcome: 1, waits: true },
  'a request that comes late, in time': {
    fault: { late: 'request', milliseconds: IN_TIME },
    overcome: ALL,
    waits: true,
  },
  'an answer that comes late, in time': {
    fault: { late: 'answer', milliseconds: IN_TIME },
    overcome: ALL,
    waits: true,
  },
  'an answer that drips without end': { fault: 'drip', overcome: 0, waits: true },
  'an answer that drips without end, of what was carried out': {
    fault: { carriedOut: 'drip' },
    overcome: 0,
    waits: true,
  },
  'a page of HTML': { fault: html, overcome: 0 },
  'a page of HTML, of what was carried out': { fault: { carriedOut: html }, overcome: 0 },
  'JSON that was cut': { fault: malformed, overcome: 0 },
}

/** Every kind that the SDK cannot overcome where it does not end. */
export const outages = Object.entries({ ...kinds, ...moreKinds }).filter(([, { overcome }]) => overcome !== ALL)

/** Every kind; or those that differ most from one another. */
export const faultKinds = isWhole ? { ...kinds, ...moreKinds } : kinds
