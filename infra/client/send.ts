import { parseJson } from './exact-json.ts'
import { PetStoreError } from './pet-store-error.ts'
import type { Request, Route } from './request.ts'
import { retry, within } from './retry.ts'

/** The API to call, and how to retry. */
export type ClientOptions = {
  /** The base address of the API, such as `https://abcdef1234.execute-api.us-east-1.amazonaws.com/v1`. */
  baseUrl: string
  /** The API key. It is sent to `baseUrl` only. */
  apiKey: string
  /** How often a request is sent at most, including the first time (default: 5). */
  attempts?: number | undefined
  /** How many seconds a call waits between its attempts at most, in total (default: 30). */
  maxWaitSeconds?: number | undefined
  /** How many seconds an attempt may take (default: 30; API Gateway responds within 29). */
  timeoutSeconds?: number | undefined
  /** Replaces the `fetch` of the platform. */
  fetch?: typeof globalThis.fetch | undefined
}

/**
 * Sends a request and returns its success; a 204 has no body.
 *
 * @throws PetStoreError if it fails, or the reason of the signal
 */
export type Send = (request: Request, options: CallOptions) => Promise<{ body: unknown; headers: Headers }>

/** Options of a call. */
export type CallOptions = {
  /** When it aborts, the call ends at once and throws the signal's reason. */
  signal?: AbortSignal | undefined
  /** Gets the status and the headers of each response, such as `X-Request-Id`. Retries have responses of their own. */
  onResponse?: ((response: { status: number; headers: Headers }) => void) | undefined
}

/** Sends requests to one API, and retries them. */
export const sender = ({ baseUrl, apiKey, fetch = globalThis.fetch, ...options }: ClientOptions): Send => {
  const { attempts = 5, maxWaitSeconds = 30, timeoutSeconds = 30 } = options
  const base = baseOf(baseUrl)
  // The platform's own error message would contain the key.
  if (!/^[!-~]+$/.test(apiKey ?? '')) throw new TypeError('apiKey must be a string of visible ASCII characters.')
  const Authorization = `Bearer ${apiKey}`

  return async ({ route, path, headers, body }, { signal, onResponse }) => {
    const { method, isKeyed } = route
    // A redirect could send the API key elsewhere. `manual`, because `error` would look like a network error: a retry.
    const init = { method, headers: { ...headers, Authorization }, body, redirect: 'manual' } as const
    const receive = async (limit: AbortSignal) => {
      const response = await fetch(base + path, { ...init, signal: limit })
      return [response, await response.text()] as const
    }
    const noResponse = (cause: unknown): never => {
      signal?.throwIfAborted()
      throw new PetStoreError(`No response from ${base}.`, { code: 'no_answer', status: 0, cause })
    }
    const attempt = async (mayBeDone: boolean) => {
      const [response, text] = await within(timeoutSeconds, signal, receive).catch(noResponse)
      onResponse?.({ status: response.status, headers: response.headers })
      return resultOf(response, text, route, mayBeDone)
    }
    return retry(attempt, { attempts, maxWaitSeconds, isRepeatable: method !== 'POST' || isKeyed }, signal)
  }
}

// Origin and path, without a slash at the end.
const baseOf = (baseUrl: string): string => {
  if (!/^https?:\/\/[^/]/.test(baseUrl))
    throw new TypeError('baseUrl must be the address of the API, such as https://api.example.com/v1.')
  const { origin, pathname } = new URL(baseUrl)
  return origin + pathname.replace(/\/+$/, '')
}

const resultOf = (response: Response, text: string, route: Route, mayBeDone: boolean) => {
  const { status, headers } = response
  const body = bodyOf(text)
  if (status === route.status && (status === 204 || (body && Array.isArray(body) === route.isList)))
    return { body, headers }
  const error = errorOf(response, body ?? {})
  // An attempt whose response was lost has deleted it.
  if (mayBeDone && route.method === 'DELETE' && error.code === 'not_found') return { body: undefined, headers }
  throw error
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
