import { parseJson } from './exact-json.ts'
import { PetStoreError } from './pet-store-error.ts'
import { type Patience, retry, within } from './retry.ts'

/** The API to call, what sends the requests, and how to retry them. */
export type Settings = Patience & {
  baseUrl: string
  apiKey: string
  timeoutSeconds: number
  fetch: typeof globalThis.fetch
}

/** A request. `path` is relative to the base address; `isResult` recognizes the body of a success. */
export type Request = {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
  isResult: (body: object) => boolean
}

/** The response to a request that succeeded. */
export type Result = { body: unknown; headers: Headers }

/**
 * Sends a request.
 *
 * @throws PetStoreError if it fails, or the reason of the signal
 */
export type Send = (request: Request, signal: AbortSignal | undefined) => Promise<Result>

/** Sends requests to one API and retries them. So each request must only read, or have an idempotency key. */
export const sender = ({ baseUrl, apiKey, fetch, timeoutSeconds, ...patience }: Settings): Send => {
  const base = baseOf(baseUrl)
  const Authorization = `Bearer ${checked(apiKey)}`

  const attempt = async (path: string, init: RequestInit, signal: AbortSignal | undefined) => {
    const received = within(timeoutSeconds, signal, async (limit) => {
      const response = await fetch(base + path, { ...init, signal: limit })
      return [response, await response.text()] as const
    })
    return received.catch((cause) => noResponse(base, cause, signal))
  }

  return async ({ path, headers, isResult, ...request }, signal) => {
    // A redirect could send the API key elsewhere. `manual`, because `error` would look like a network error: a retry.
    const init = { ...request, headers: new Headers({ ...headers, Authorization }), redirect: 'manual' } as const
    return retry(async () => resultOf(...(await attempt(path, init, signal)), isResult), patience, signal)
  }
}

// Origin and path, without a slash at the end.
const baseOf = (baseUrl: string): string => {
  const { protocol, origin, pathname } = new URL(baseUrl)
  if (!/^https?:$/.test(protocol)) throw new TypeError('baseUrl must begin with https:// or http://')
  return origin + pathname.replace(/\/+$/, '')
}

// The platform's own error message would contain the key.
const checked = (apiKey: string): string => {
  if (typeof apiKey === 'string' && /^[!-~]+$/.test(apiKey)) return apiKey
  throw new TypeError('apiKey must be a string of visible ASCII characters.')
}

const noResponse = (base: string, cause: unknown, signal: AbortSignal | undefined): never => {
  signal?.throwIfAborted()
  throw new PetStoreError(`No response from ${base}.`, { code: 'no_answer', status: 0, cause })
}

const resultOf = (response: Response, text: string, isResult: (body: object) => boolean): Result => {
  const body = bodyOf(text)
  if (response.ok && body && isResult(body)) return { body, headers: response.headers }
  throw errorOf(response, body ?? {})
}

// `undefined` if the text is not an array or object in JSON.
const bodyOf = (text: string): object | undefined => {
  try {
    const body = parseJson(text)
    return typeof body === 'object' && body ? body : undefined
  } catch {
    return undefined
  }
}

const errorOf = ({ status, headers }: Response, body: object): PetStoreError => {
  const details = { status, requestId: headers.get('X-Request-Id') ?? undefined, retryAfter: retryAfterOf(headers) }
  if ('code' in body && typeof body.code === 'string' && 'message' in body && typeof body.message === 'string')
    return new PetStoreError(body.message, { ...details, code: body.code })
  return new PetStoreError(unexpected(status), { ...details, code: 'unexpected_answer' })
}

const unexpected = (status: number): string => {
  // In browsers, a redirect that is not followed has the status 0.
  if (status === 0 || (status >= 300 && status < 400))
    return 'The response redirects to another address, and the API key is not sent there. Check baseUrl.'
  return `The response (${status}) is not from the pet store API. Check baseUrl and any proxy.`
}

// In seconds (RFC 9110, section 10.2.3).
const retryAfterOf = (headers: Headers): number | undefined => {
  const value = headers.get('Retry-After') ?? ''
  if (/^\d+$/.test(value)) return Number(value)
  // Compared with the clock of the sender, if it is known, because ours may be wrong.
  const now = Date.parse(headers.get('Date') ?? '') || Date.now()
  const seconds = (Date.parse(value) - now) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
