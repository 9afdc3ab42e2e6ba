import { setTimeout as pause } from 'node:timers/promises'
import { exactJson, stringifyJson } from '../../shared/model/json.ts'

/** A request to the API. `path` is relative to the base address. */
export type Sent = { method?: string; path: string; key?: string; idempotencyKey?: string; body?: string }

/** A response of the API. `body` is its JSON value with exact integers, or its text if it is not JSON. */
export type Received = { status: number; headers: Headers; body: unknown }

/** An API, and the signal that stops the checks. */
export type Api = { call: (sent: Sent, stopped: AbortSignal) => Promise<Received>; stopped: AbortSignal }

/** A request and the response that it must get. */
export type Check = {
  /** Describes the request, such as `GET /pets without a key`. */
  what: string
  request: Sent
  status: number
  /** Describes and tests the body. */
  body: { described: string; fits: (body: unknown) => boolean }
  /** A header that must be present under one of these names. */
  header?: { names: string[]; value: RegExp }
  /** For how long to repeat a check that fails (default: 0). */
  waitSeconds?: number
}

/** The result of a check: a line to print, and the body of the response if there was one. */
export type Outcome = { line: string; passed: boolean; body?: unknown }

const TIMEOUT_MS = 30_000 // API Gateway gives up after 29 s.

/** The API at a base address. */
export const apiAt = (baseUrl: string, stopped: AbortSignal): Api => ({
  stopped,
  call: async ({ method = 'GET', path, key, idempotencyKey, body }, stopped) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(key && { Authorization: `Bearer ${key}` }),
        ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      body: body ?? null,
      redirect: 'manual',
      signal: AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    return { status: response.status, headers: response.headers, body: parse(await response.text()) }
  },
})

/** Runs a check until it passes, its time is over, or the API is stopped. */
export const runCheck = async ({ call, stopped }: Api, check: Check): Promise<Outcome> => {
  const end = Date.now() + 1000 * (check.waitSeconds ?? 0)
  for (;;) {
    const received = await call(check.request, stopped).catch(describeError)
    const outcome = outcomeOf(check, received)
    if (outcome.passed || stopped.aborted || Date.now() >= end) return outcome
    await pause(500, undefined, { signal: stopped }).catch(() => {}) // The next round sees that it was stopped.
  }
}

const outcomeOf = (check: Check, received: Received | string): Outcome => {
  if (typeof received !== 'string' && fits(check, received))
    return { line: `✓ ${check.what}: ${describe(check)}`, passed: true, body: received.body }
  return {
    line: `✗ ${check.what}: expected ${describe(check)}, but ${describeReceived(received)}`,
    passed: false,
    body: typeof received === 'string' ? undefined : received.body,
  }
}

const fits = ({ status, body, header }: Check, received: Received): boolean =>
  received.status === status &&
  body.fits(received.body) &&
  (!header || header.names.some((name) => header.value.test(received.headers.get(name) ?? '')))

const describe = ({ status, body, header }: Check): string =>
  [status, body.described, ...(header ? [`the header ${header.names.join(' or ')}`] : [])].join(', ')

const MAX_BODY_SHOWN = 500

const describeReceived = (received: Received | string): string => {
  if (typeof received === 'string') return received
  const headers = [...received.headers].map(([name, value]) => `${name}: ${value}`).join('; ')
  return `got ${received.status} with ${stringifyJson(received.body).slice(0, MAX_BODY_SHOWN)} (${headers})`
}

// `fetch` puts the reason into the cause of its error.
const describeError = (error: unknown): string => {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return `got no response: ${reason instanceof Error ? reason.message || reason.name : reason}`
}

const parse = (text: string): unknown => {
  try {
    return exactJson(text, JSON.parse(text))
  } catch {
    return text
  }
}
