import { parseJson } from './exact-json.ts'
import { PetStoreError } from './pet-store-error.ts'
import { retry, within } from './retry.ts'

/** Which API to call, and how patiently. */
export type ClientOptions = {
  /** The base address of the API, such as `https://abcdef1234.execute-api.us-east-1.amazonaws.com/v1`. */
  baseUrl: string
  apiKey: string
  /** How often a request is sent at most, the first time included (default: 5). */
  attempts?: number | undefined
  /** How many seconds a request waits at most, in all, to be sent again (default: 30). */
  maxWaitSeconds?: number | undefined
  /** After how many seconds an attempt counts as not answered (default: 30, as API Gateway answers within 29). */
  timeoutSeconds?: number | undefined
  /** What sends the requests, in place of the platform's own `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
}

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

/** What a request got. */
export type Answer = { body: unknown; headers: Headers }

/** What a response says. Throws a PetStoreError for all but a success of the service's, with what `isResult` knows. */
export const answerOf = (response: Response, text: string, isResult: (body: object) => boolean): Answer => {
  const body = bodyOf(text)
  if (response.ok && body && isResult(body)) return { body, headers: response.headers }
  throw new PetStoreError(...problemOf(response, body ?? {}))
}

/** The array or object that a text spells; `undefined` where it spells none. */
const bodyOf = (text: string): object | undefined => {
  try {
    const body = parseJson(text)
    return typeof body === 'object' && body ? body : undefined
  } catch {
    return undefined
  }
}

const problemOf = ({ status, headers }: Response, body: object): ConstructorParameters<typeof PetStoreError> => {
  const details = { status, requestId: headers.get('X-Request-Id') ?? undefined, retryAfter: retryAfterOf(headers) }
  if ('code' in body && typeof body.code === 'string' && 'message' in body && typeof body.message === 'string')
    return [body.message, { ...details, code: body.code }]
  return [unexpected(status), { ...details, code: 'unexpected_answer' }]
}

const unexpected = (status: number): string => {
  // A browser says 0 of a redirect that it was told not to follow.
  if (status === 0 || (status >= 300 && status < 400))
    return 'The answer leads to another address, to which the API key is not sent. Check baseUrl.'
  return `The answer (${status}) is not one of the pet store's. Check baseUrl, and what is on the way to it.`
}

/** After how many seconds an answer wants to see the request again (RFC 9110, section 10.2.3). */
export const retryAfterOf = (headers: Headers): number | undefined => {
  const value = headers.get('Retry-After') ?? ''
  if (/^\d+$/.test(value)) return Number(value)
  // By the clock of whoever wrote the date, where that is told: ours may be wrong.
  const now = Date.parse(headers.get('Date') ?? '') || Date.now()
  const seconds = (Date.parse(value) - now) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
