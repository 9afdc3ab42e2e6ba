import { exactJson } from '../../shared/model/json.ts'

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
