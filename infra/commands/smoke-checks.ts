import { STATUS_CODES } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import * as v from 'valibot'
import { createClient } from '../client/client.ts'
import { CommandError } from '../command-line.ts'

/** An API, and a key for it. Checks throw the reason of `signal` when it aborts. `fetch` is for tests. */
export type Api = { baseUrl: string; apiKey: string; signal: AbortSignal; fetch?: typeof globalThis.fetch }

/** A request, and its response: `status` is 0 if there was none. */
export type Exchange = { request: string; status: number; headers: Headers; text: string }

/** The ways to send requests to an API, and to check their responses. */
export const checksOf = ({ baseUrl, apiKey, signal, fetch = globalThis.fetch }: Api) => {
  const none = { request: '', status: 0, headers: new Headers(), text: '' }
  let last: Exchange = none
  const record: typeof fetch = async (url, init) => {
    last = { ...none, request: `${init?.method} ${String(url).slice(baseUrl.length)}` }
    const response = await fetch(url, init)
    const { status, headers } = response
    last = { ...last, status, headers, text: await response.text() }
    return new Response(last.text || null, response)
  }
  const client = createClient({ baseUrl, apiKey, attempts: 1, fetch: record })
  const retrying = createClient({ baseUrl, apiKey, fetch })

  /** Sends a request that the client does not send. */
  const send = (method: string, path: string, key = '', body?: object): Promise<unknown> => {
    const headers = { 'Content-Type': 'application/json', ...(key && { Authorization: `Bearer ${key}` }) }
    const limit = AbortSignal.any([signal, AbortSignal.timeout(30_000)]) // API Gateway gives up after 29 s.
    const init = { method, headers, body: body ? JSON.stringify(body) : null, signal: limit }
    return record(baseUrl + path, { ...init, redirect: 'manual' })
  }

  /**
   * Repeats a call until its status and result are right, or the seconds are over, and prints a line with `how` behind the
   * request. Returns the result. Throws a CommandError if it is wrong.
   */
  const check = async <Result>(
    status: number,
    how: string,
    call: () => Promise<Result>,
    fits: (result: Result, exchange: Exchange) => boolean = () => true,
    { waitSeconds = 0 } = {},
  ): Promise<Result> => {
    const end = Date.now() + 1000 * waitSeconds
    for (;;) {
      last = none
      const result = await call().catch((error) => error)
      signal.throwIfAborted()
      const what = `${last.request} ${how}`.trim()
      const isRight = status < 400 ? !(result instanceof Error) : isError(last)
      if (last.status === status && isRight && fits(result, last)) {
        console.info(`✓ ${what}: ${status}`)
        return result
      }
      if (Date.now() >= end) {
        const lines = [...last.headers].map(([name, value]) => `${name}: ${value}`)
        const received = `${last.status}: ${last.text.slice(0, 500)} (${lines.join('; ')})`
        console.info(`✗ ${what}: expected ${status}, got ${last.status ? received : result}`)
        throw new CommandError('The smoke test failed.')
      }
      await pause(500)
    }
  }

  return { client, retrying, send, check }
}

// The body has nothing else.
const isError = ({ status, text }: Exchange): boolean => {
  const code = v.literal(`${STATUS_CODES[status]?.toLowerCase().replaceAll(' ', '_')}`)
  const body = v.strictObject({ status: v.literal(status), code, message: v.pipe(v.string(), v.nonEmpty()) })
  return v.is(v.pipe(v.string(), v.parseJson(), body), text)
}
