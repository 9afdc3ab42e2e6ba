import { setTimeout as pause } from 'node:timers/promises'
import { exactJson, stringifyJson } from '../../shared/model/json.ts'

/** A request to the API. `path` is relative to the base address. */
export type Sent = { method: string; path: string; headers?: Record<string, string>; body?: object }

/** A response of the API. `body` is its JSON value with exact integers, or its text if it is not JSON. */
export type Received = { status: number; headers: Headers; body: unknown }

/** An API, and the signal that stops the checks. */
export type Api = { call: (sent: Sent, stopped: AbortSignal) => Promise<Received>; stopped: AbortSignal }

/** A request, and the response that it must get. */
export type Check = {
  request: Sent
  /** What to print besides method and path, such as `without a key`. */
  with?: string
  status: number
  /** Tests the response, if its status is right. */
  fits?: (received: Received) => boolean
  /** For how long to repeat a check that fails (default: 0). */
  waitSeconds?: number
}

const TIMEOUT_MS = 30_000 // API Gateway gives up after 29 s.

/** The API at a base address. */
export const apiAt = (baseUrl: string, stopped: AbortSignal): Api => ({
  stopped,
  call: async ({ method, path, headers = {}, body }, stopped) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      body: body ? stringifyJson(body) : null,
      redirect: 'manual',
      signal: AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    return { status: response.status, headers: response.headers, body: parse(await response.text()) }
  },
})

/** Runs a check until it passes, its time is over, or the API is stopped, and prints a line. */
export const runCheck = async ({ call, stopped }: Api, check: Check): Promise<{ passed: boolean; body: unknown }> => {
  const { request, status, fits = () => true, waitSeconds = 0 } = check
  const end = Date.now() + 1000 * waitSeconds
  for (;;) {
    const received = await call(request, stopped).catch(reasonOf)
    const passed = typeof received !== 'string' && received.status === status && fits(received)
    if (passed || stopped.aborted || Date.now() >= end) {
      if (!stopped.aborted) console.info(lineOf(check, passed, received))
      return { passed, body: typeof received === 'string' ? undefined : received.body }
    }
    await pause(500, undefined, { signal: stopped }).catch(() => {}) // The next round sees that it was stopped.
  }
}

const lineOf = ({ request, with: how = '', status }: Check, passed: boolean, received: Received | string): string => {
  const what = `${request.method} ${request.path} ${how}`.trimEnd()
  if (passed) return `✓ ${what}: ${status}`
  if (typeof received === 'string') return `✗ ${what}: no response: ${received}`
  const headers = [...received.headers].map(([name, value]) => `${name}: ${value}`).join('; ')
  const body = stringifyJson(received.body).slice(0, 500)
  const problem = received.status === status ? 'wrong body or headers' : `expected ${status}`
  return `✗ ${what}: ${problem}, got ${received.status} with ${body} (${headers})`
}

// `fetch` puts the reason into the cause of its error.
const reasonOf = (error: unknown): string => String(Object(error).cause ?? error)

const parse = (text: string): unknown => {
  try {
    return exactJson(text, JSON.parse(text))
  } catch {
    return text
  }
}
