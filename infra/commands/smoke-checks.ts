import { STATUS_CODES } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { exactJson, stringifyJson } from '../../shared/model/json.ts'
import { CommandError } from '../command-line.ts'

/** An API, and a key for it. Requests end when `signal` aborts. */
export type Api = { baseUrl: string; apiKey: string; signal: AbortSignal }

/** A request. `key` replaces the API key; an empty one is not sent. */
export type Sent = {
  method: string
  path: string
  headers?: Record<string, string>
  body?: object
  key?: string
}

/** A response, and the object or array in it; `status` is 0 if there was none. */
export type Received = { status: number; headers: Headers; text: string; json: object | undefined }

/** What a response has to be, besides its status. `how` is printed behind the request. */
type Expectation = { how?: string; fits?: (received: Received) => boolean; waitSeconds?: number }

/**
 * Repeats a request until its response is right, or the seconds are over, and prints a line. Throws
 * a CommandError if it is wrong, and the reason of the signal.
 */
export const check = async (
  api: Api,
  status: number,
  request: Sent,
  { how = '', fits = () => true, waitSeconds = 0 }: Expectation = {},
): Promise<Received> => {
  const what = `${request.method} ${request.path} ${how}`.trim()
  const end = Date.now() + 1000 * waitSeconds
  for (;;) {
    const received = await send(api, request)
    api.signal.throwIfAborted()
    const isComplete = status < 400 || isError(received)
    if (received.status === status && isComplete && fits(received)) {
      console.info(`✓ ${what}: ${status}`)
      return received
    }
    if (Date.now() >= end) {
      const lines = [...received.headers].map(([name, value]) => `${name}: ${value}`)
      const text = received.text.slice(0, 500)
      console.info(
        `✗ ${what}: expected ${status}, got ${received.status}: ${text} (${lines.join('; ')})`,
      )
      throw new CommandError('The smoke test failed.')
    }
    // If the run is stopped meanwhile, little time is left to clean up.
    await pause(500, undefined, { signal: api.signal }).catch(() => {})
  }
}

/** Sends a request, and follows no redirect. Never throws. */
export const send = async (
  api: Api,
  { method, path, headers, body, key = api.apiKey }: Sent,
): Promise<Received> => {
  try {
    const response = await fetch(api.baseUrl + path, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(key && { Authorization: `Bearer ${key}` }),
        ...headers,
      },
      body: body ? stringifyJson(body) : null,
      redirect: 'manual',
      // API Gateway gives up after 29 s.
      signal: AbortSignal.any([api.signal, AbortSignal.timeout(30_000)]),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: jsonIn(text) }
  } catch (error) {
    return { status: 0, headers: new Headers(), text: String(error), json: undefined }
  }
}

const jsonIn = (text: string): object | undefined => {
  try {
    const json = exactJson(text, JSON.parse(text))
    return typeof json === 'object' && json ? json : undefined
  } catch {
    return undefined
  }
}

// The body has nothing else.
const isError = ({ status, json }: Received): boolean => {
  const { message }: { message?: unknown } = json ?? {}
  const code = STATUS_CODES[status]?.toLowerCase().replaceAll(' ', '_')
  return Boolean(message) && isDeepStrictEqual(json, { status, code, message })
}
