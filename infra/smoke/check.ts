import { setTimeout as pause } from 'node:timers/promises'
import { exactJson, stringifyJson } from '../../shared/model/json.ts'

/** A request, and what must come back. */
export type Check = {
  /** The request in words, such as `GET /pets without a key`. */
  what: string
  request: Sent
  status: number
  /** What the body must be, in words, and whether it is. */
  body: { described: string; fits: (body: unknown) => boolean }
  /** Headers that must be there; any one of the names will do. */
  header?: { names: string[]; value: RegExp }
  /** For how long an answer that is not as it must be is asked for again. */
  waitSeconds?: number
}

/** How a check went: a line for a person, and the body where all was well. */
export type Outcome = { line: string; passed: boolean; body?: unknown }

/** Carries out a check. */
export const carryOut = async ({ call, stopped }: Api, check: Check): Promise<Outcome> => {
  const end = Date.now() + 1000 * (check.waitSeconds ?? 0)
  for (;;) {
    const answer = await call(check.request).catch(reasonOf)
    if (typeof answer !== 'string' && fits(check, answer))
      return { line: `✓ ${check.what}: ${expected(check)}`, passed: true, body: answer.body }
    if (stopped.aborted || Date.now() >= end)
      return { line: `✗ ${check.what}: expected ${expected(check)}, but ${cameOf(answer)}`, passed: false }
    await pause(500, undefined, { signal: stopped }).catch(() => {}) // Stopped: told above.
  }
}

const fits = ({ status, body, header }: Check, answer: Answer): boolean =>
  answer.status === status &&
  body.fits(answer.body) &&
  (!header || header.names.some((name) => header.value.test(answer.headers.get(name) ?? '')))

const expected = ({ status, body, header }: Check): string =>
  [status, body.described, ...(header ? [`the header ${header.names.join(' or ')}`] : [])].join(', ')

const MOST_SHOWN = 500

const cameOf = (answer: Answer | string): string => {
  if (typeof answer === 'string') return answer
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('; ')
  return `${answer.status} came with ${stringifyJson(answer.body).slice(0, MOST_SHOWN)} (${headers})`
}

// `fetch` hides what happened in a cause.
const reasonOf = (error: unknown): string => {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return `no answer came: ${reason instanceof Error ? reason.message || reason.name : reason}`
}

/** A request to the API: `path` is relative to the base address, `body` is text. */
export type Sent = { method?: string; path: string; key?: string; idempotencyKey?: string; body?: string }

/** What came back: `body` is the exact JSON value of it, or the text where that is not JSON. */
export type Answer = { status: number; headers: Headers; body: unknown }

/** An API that can be called until it is `stopped`. */
export type Api = { call: (sent: Sent) => Promise<Answer>; stopped: AbortSignal }

const LONGEST_ANSWER_MS = 30_000 // API Gateway gives up after 29 s.

/** The API at a base address. */
export const apiAt = (baseUrl: string, stopped: AbortSignal): Api => ({
  stopped,
  call: async ({ method = 'GET', path, key, idempotencyKey, body }) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(key && { Authorization: `Bearer ${key}` }),
        ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      body: body ?? null,
      redirect: 'manual',
      signal: AbortSignal.any([stopped, AbortSignal.timeout(LONGEST_ANSWER_MS)]),
    })
    return { status: response.status, headers: response.headers, body: parsed(await response.text()) }
  },
})

const parsed = (text: string): unknown => {
  try {
    return exactJson(text, JSON.parse(text))
  } catch {
    return text
  }
}
