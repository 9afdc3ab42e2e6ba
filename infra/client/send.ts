import { parseJson } from './exact-json.ts'
import { PetStoreError } from './pet-store-error.ts'
import { type Request, refuseInvisible } from './request.ts'
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
  refuseInvisible('apiKey', apiKey)
  // The server may echo the key.
  const hideKey = (text: string) => text.replaceAll(apiKey, '<API key>')

  return async ({ route, path, headers, body }, { signal, onResponse }) => {
    const { method, idempotent } = route
    headers.set('Authorization', `Bearer ${apiKey}`)
    // A redirect could send the API key elsewhere. `manual`, because `error` would look like a network error: a retry.
    const init = { method, headers, body, redirect: 'manual' } as const
    const receive = async (limit: AbortSignal) => {
      const response = await fetch(base + path, { ...init, signal: limit })
      return [response, await textOf(response)] as const
    }
    const noResponse = (thrown: unknown): never => {
      signal?.throwIfAborted()
      const message = `No response from ${base}: ${reasonOf(thrown)}.`
      throw new PetStoreError(hideKey(message), { code: 'no_answer', status: 0 })
    }
    const attempt = async (mayBeDone: boolean) => {
      const [response, text] = await within(timeoutSeconds, signal, receive).catch(noResponse)
      const { status, headers } = response
      onResponse?.({ status, headers })
      const body = bodyOf(text)
      if (status === route.status && (status === 204 || (body && Array.isArray(body) === route.isList)))
        return { body, headers }
      const error = errorOf(response, body ?? {}, hideKey)
      // An attempt whose response was lost has deleted it.
      if (mayBeDone && method === 'DELETE' && error.code === 'not_found') return { body: undefined, headers }
      // An attempt whose response was lost may have made this change, or somebody else another one.
      if (mayBeDone && status === 412) throw new PetStoreError(UNKNOWN_OUTCOME, { ...error, code: 'unknown_outcome' })
      throw error
    }
    return retry(attempt, { attempts, maxWaitSeconds, isRepeatable: method !== 'POST' || idempotent }, signal)
  }
}

const UNKNOWN_OUTCOME = 'A lost response hides whether the change was made. Read it again, and decide.'

// Origin and path, without a slash at the end.
const baseOf = (baseUrl: string): string => {
  if (!/^https?:\/\/[^/]/.test(baseUrl))
    throw new TypeError('baseUrl must be the address of the API, such as https://api.example.com/v1.')
  const { origin, pathname } = new URL(baseUrl)
  return origin + pathname.replace(/\/+$/, '')
}

// Node.js has the reason in `cause`. Only its text, because some of its errors hold bytes of the response.
const reasonOf = (thrown: unknown): string => {
  const { message, code } = Object(Object(thrown).cause ?? thrown)
  return message || code
}

// Lambda returns no more, so a longer response is not from the service.
const MAX_BYTES = 6 * 2 ** 20

// The text of a response, or as much of it as the limit allows. What counts is its size after decompression.
const textOf = ({ body }: Response): Promise<string> => {
  let bytes = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length
      if (bytes > MAX_BYTES) controller.terminate()
      else controller.enqueue(chunk)
    },
  })
  return new Response(body?.pipeThrough(limit)).text()
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

const errorOf = ({ status, headers }: Response, body: object, hideKey: (text: string) => string): PetStoreError => {
  const { code, message } = isErrorBody(body) ? body : unexpected(status)
  const requestId = hideKey(headers.get('X-Request-Id') ?? '') || undefined
  const seconds = headers.get('Retry-After') ?? '' // The service sends no dates.
  const retryAfter = /^\d+$/.test(seconds) ? Number(seconds) : undefined
  return new PetStoreError(hideKey(message), { code: hideKey(code), status, requestId, retryAfter })
}

const isErrorBody = (body: object): body is { code: string; message: string } =>
  'code' in body && typeof body.code === 'string' && 'message' in body && typeof body.message === 'string'

// In browsers, a redirect has the status 0.
const unexpected = (status: number) => ({
  code: 'unexpected_answer',
  message: `The response (${status}) is not from the pet store API. Check baseUrl and any proxy. Redirects are not followed.`,
})
