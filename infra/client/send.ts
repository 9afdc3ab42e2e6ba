import { NO_PATH } from './operations.ts'
import { type ClientOptions, checkedOptions } from './options.ts'
import type { Request, Route } from './request.ts'
import { contentOf, errorOf, ServiceError } from './response.ts'

/** Options of a call. */
export type CallOptions = {
  /** When it aborts, the call ends at once and throws the signal's reason. */
  signal?: AbortSignal | undefined
  /** Gets the status and the headers of each response, such as `X-Request-Id`. Retries have responses of their own. */
  onResponse?: ((response: { status: number; headers: Headers }) => void) | undefined
}

/** The body of a success, if it has one, and the headers. */
export type Success = { content?: object; headers: Headers }

/** Sends a request. Throws a ServiceError, or the reason of the signal. */
export type Send = (request: Request, options: CallOptions) => Promise<Success>

/** Sends requests to one API, and retries them after temporary failures. Throws a TypeError for an invalid option. */
export const sender = (options: ClientOptions): Send => {
  const { baseUrl, apiKey, attempts, maxWaitSeconds, timeoutSeconds, fetch } = checkedOptions(options)
  const hideKey = (text: string) => text.replaceAll(apiKey, '<API key>')

  // `mayBeDone`: an earlier attempt may have taken effect, because its response was lost.
  const attempt = async (request: Request, { signal, onResponse }: CallOptions, mayBeDone: boolean) => {
    const { route, path, init } = request
    const receive = async (limit: AbortSignal) => {
      // A redirect could send the API key elsewhere. `manual`, because `error` would look like a network error: a retry.
      const response = await fetch(baseUrl + path, { ...init, redirect: 'manual', signal: limit })
      return { response, content: await contentOf(response) }
    }
    const { response, content } = await within(timeoutSeconds, signal, receive).catch((thrown) => {
      signal?.throwIfAborted()
      const message = hideKey(`No response from ${baseUrl}: ${reasonOf(thrown)}.`)
      throw new ServiceError(message, { code: 'no_answer', status: 0 })
    })
    const { status, headers } = response
    onResponse?.({ status, headers })
    if (status === route.status && isExpected(route, content)) return { content, headers }
    const error = errorOf(response, content, hideKey)
    if (!mayBeDone || holdsForAll(route, error)) throw error
    const isGone = route.method === 'DELETE' && error.code === 'not_found' && !error.message.startsWith(NO_PATH)
    if (isGone && !init.headers.has('If-Match')) return { headers }
    throw new ServiceError(`${UNKNOWN_OUTCOME} ${error.message}`, { ...error, code: 'unknown_outcome' })
  }

  return async (request, call) => {
    request.init.headers.set('Authorization', `Bearer ${apiKey}`)
    const { method, flags } = request.route
    const isRepeatable = method !== 'POST' || flags.includes('idempotent')
    let mayBeDone = false
    let waited = 0
    for (let made = 1; ; made++) {
      try {
        return await attempt(request, call, mayBeDone)
      } catch (error) {
        if (!(error instanceof ServiceError) || !isTemporary(error)) throw error
        mayBeDone ||= method !== 'GET' && error.status !== 429 // A request over the rate limit is not handled.
        const seconds = (error.retryAfter ?? 0) + backoff(made)
        waited += seconds
        if (made >= attempts || waited > maxWaitSeconds || (mayBeDone && !isRepeatable)) throw error
        await within(seconds, call.signal, aborted)
      }
    }
  }
}

const UNKNOWN_OUTCOME = 'A lost response hides whether this call took effect. Read again, and decide. The retry got:'

const isExpected = ({ result }: Route, content: object | undefined): boolean => {
  if (!content || result === 'nothing') return !content && result === 'nothing'
  const hasId = 'id' in content && typeof content.id === 'number'
  return Array.isArray(content) === (result === 'list') && (hasId || result !== 'resource')
}

// Whether an error of a retry holds for the attempts before it, too. 400, 413, 415: the request was never valid. 409, 422: if
// one of them had taken effect, a create would be a replay, and a delete a 404. The others leave the outcome open anyway.
const holdsForAll = ({ method }: Route, { code, status }: ServiceError): boolean =>
  code === 'unexpected_answer' ||
  [400, 413, 415, 502, 503, 504].includes(status) ||
  ([409, 422].includes(status) && ['POST', 'DELETE'].includes(method))

// Node.js has the reason in `cause`. Only its text, because some of its errors hold bytes of the response. A `fetch` of the
// caller may throw anything.
const reasonOf = (thrown: unknown): string => {
  const { message, code } = Object(Object(thrown).cause ?? thrown)
  return message || code
}

// A 500 is a bug of the service: a retry would fail again.
const isTemporary = ({ code, status }: ServiceError): boolean =>
  code === 'no_answer' || [429, 502, 503, 504].includes(status)

// In seconds. Random, so that clients that failed together do not retry together.
const backoff = (made: number): number => Math.random() * 0.1 * 2 ** made

const aborted = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve))

const MAX_TIMER_MS = 2 ** 31 - 1 // A longer timer fires at once.

// Does some work with a signal that aborts after this many seconds, or when `signal` aborts. (Node.js 20 may
// garbage-collect an `AbortSignal.any` of an `AbortSignal.timeout` before it aborts.)
const within = async <T>(
  seconds: number,
  signal: AbortSignal | undefined,
  work: (limit: AbortSignal) => Promise<T>,
): Promise<T> => {
  signal?.throwIfAborted()
  const limit = new AbortController()
  const stop = () => limit.abort(signal?.reason)
  const late = () => limit.abort(new DOMException(`timeout after ${seconds} seconds`, 'TimeoutError'))
  const timer = setTimeout(late, Math.min(seconds * 1000, MAX_TIMER_MS))
  signal?.addEventListener('abort', stop)
  try {
    return await work(limit.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
