import { type Answer, answerOf } from './answer.ts'
import type { ClientOptions } from './client-options.ts'
import { PetStoreError } from './pet-store-error.ts'
import { retry } from './retry.ts'
import { within } from './time-limit.ts'

/** A request to the API; `path` is relative to its base address, `isResult` knows what it asks for. */
export type Request = {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
  isResult: (body: object) => boolean
}

/** Sends a request, and tells what it got. */
export type Send = (request: Request, signal: AbortSignal | undefined) => Promise<Answer>

/** Sends requests to one API, again if need be: each of them reads, or carries an idempotency key. */
export const sender = ({ baseUrl, apiKey, fetch = globalThis.fetch, ...limits }: ClientOptions): Send => {
  const { attempts = 5, maxWaitSeconds = 30, timeoutSeconds = 30 } = limits
  const base = baseOf(baseUrl)
  const Authorization = `Bearer ${checked(apiKey)}`

  const attempt = async (path: string, init: RequestInit, signal: AbortSignal | undefined) => {
    const received = within(timeoutSeconds, signal, async (limit) => {
      const response = await fetch(base + path, { ...init, signal: limit })
      return [response, await response.text()] as const
    })
    return received.catch((cause) => noAnswer(base, cause, signal))
  }

  return async ({ path, headers, isResult, ...request }, signal) => {
    // A redirect is not followed: it might lead the API key elsewhere. (It is no network error either, to be tried again.)
    const init = { ...request, headers: new Headers({ ...headers, Authorization }), redirect: 'manual' } as const
    const answer = async () => answerOf(...(await attempt(path, init, signal)), isResult)
    return retry(answer, { attempts, maxWaitSeconds }, signal)
  }
}

/** The origin and the path of an address, without a slash at the end. Throws where it is none. */
const baseOf = (baseUrl: string): string => {
  const { protocol, origin, pathname } = new URL(baseUrl)
  if (!/^https?:$/.test(protocol)) throw new TypeError('baseUrl must begin with https:// or http://')
  return origin + pathname.replace(/\/+$/, '')
}

/** Throws where no header can hold the key: the platform's own message would show it. */
const checked = (apiKey: string): string => {
  if (typeof apiKey === 'string' && /^[!-~]+$/.test(apiKey)) return apiKey
  throw new TypeError('apiKey must be a string of visible ASCII characters.')
}

const noAnswer = (base: string, cause: unknown, signal: AbortSignal | undefined): never => {
  signal?.throwIfAborted()
  throw new PetStoreError(`No answer came from ${base}.`, { code: 'no_answer', status: 0, cause })
}
