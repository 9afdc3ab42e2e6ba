import { type ClientOptions, checkedOptions } from './options.ts'
import { callOutcome, errorMeaning } from './outcome.ts'
import type { Request, Route } from './request.ts'
import { readContent, responseError, ServiceError } from './response.ts'

/** Options of a call. */
export type CallOptions = {
  /** When it aborts, the call ends at once and throws the signal's reason. */
  signal?: AbortSignal | undefined
  /** Gets the status and the headers of each response, those of retries too. */
  onResponse?: ((response: { status: number; headers: Headers }) => void) | undefined
}

/** The body of a success, if it has one, and the headers. */
export type SuccessResponse = { content?: object; headers: Headers }

/** Sends a request. Throws a ServiceError, or the reason of the signal. */
export type Send = (request: Request, options: CallOptions) => Promise<SuccessResponse>

/** Sends requests, and retries temporary failures. */
export const sender = (options: ClientOptions): Send => {
  const { baseUrl, apiKey, attempts, maxWaitSeconds, timeoutSeconds, fetch } =
    checkedOptions(options)
  const hideKey = (text: string) => text.replaceAll(apiKey, '<API key>')

  const sendOnce = async (
    request: Request,
    { signal, onResponse }: CallOptions,
  ): Promise<SuccessResponse | ServiceError> => {
    const { route, path, init } = request
    const receive = async (limit: AbortSignal) => {
      // A redirect could send the API key elsewhere. (After `error`, the request would be retried.)
      const response = await fetch(baseUrl + path, { ...init, redirect: 'manual', signal: limit })
      return { response, content: await readContent(response) }
    }
    let received: Awaited<ReturnType<typeof receive>>
    try {
      received = await within(timeoutSeconds, signal, receive)
    } catch (thrown) {
      signal?.throwIfAborted()
      const message = hideKey(`No response from ${baseUrl}: ${failureText(thrown)}.`)
      return new ServiceError(message, { code: 'no_answer', status: 0 })
    }
    const { response, content } = received
    const { status, headers } = response
    onResponse?.({ status, headers })
    if (status === route.status && isExpected(route, content)) return { content, headers }
    return responseError(response, content, hideKey)
  }

  return async (request, call) => {
    request.init.headers.set('Authorization', `Bearer ${apiKey}`)
    const { method, flags } = request.route
    const isRepeatable = method !== 'POST' || flags.includes('idempotent')
    let isOpen = false // Whether an earlier attempt may have taken effect, or may still be running.
    let waited = 0
    for (let count = 1; ; count++) {
      const result = await sendOnce(request, call)
      if (!(result instanceof ServiceError)) return result
      const { attempt } = errorMeaning(result)
      const seconds = (result.retryAfter ?? 0) + backoff(count)
      waited += seconds
      const isLast = count >= attempts || waited > maxWaitSeconds
      const mayRepeat = attempt === 'unhandled' || (attempt === 'open' && isRepeatable)
      if (isLast || !mayRepeat) return ended(request, result, isOpen)
      isOpen ||= attempt === 'open'
      await within(seconds, call.signal, aborted)
    }
  }
}

const ended = (request: Request, error: ServiceError, isOpen: boolean): SuccessResponse => {
  switch (callOutcome(request, error, isOpen)) {
    case 'success':
      return { headers: new Headers() }
    case 'unknown_outcome':
      throw new ServiceError(`${UNKNOWN_OUTCOME} ${error.message}`, {
        ...error,
        code: 'unknown_outcome',
      })
    case 'error':
      throw error
  }
}

const UNKNOWN_OUTCOME =
  'An earlier attempt may have taken effect, or may still be running. Wait ten seconds, and read again. The retry got:'

const isExpected = ({ result }: Route, content: object | undefined): boolean => {
  if (result === 'nothing') return content === undefined
  if (result === 'list') return Array.isArray(content)
  if (content === undefined || Array.isArray(content)) return false
  return result === 'object' || ('id' in content && typeof content.id === 'number')
}

// Some errors of Node.js hold bytes of the response. A `fetch` of the caller may throw anything.
const failureText = (thrown: unknown): string => {
  const { message, code } = Object(Object(thrown).cause ?? thrown)
  return message || code
}

// In seconds. Random, so that clients that failed together do not retry together.
const backoff = (count: number): number => Math.random() * 0.1 * 2 ** count

const aborted = (signal: AbortSignal) =>
  new Promise((resolve) => signal.addEventListener('abort', resolve))

const MAX_TIMER_MS = 2 ** 31 - 1 // A longer timer fires at once.

// Does some work with a signal that aborts after this many seconds, or when `signal` aborts.
// (Node.js 20 may garbage-collect an `AbortSignal.any` of an `AbortSignal.timeout` before it
// aborts.)
const within = async <T>(
  seconds: number,
  signal: AbortSignal | undefined,
  work: (limit: AbortSignal) => Promise<T>,
): Promise<T> => {
  signal?.throwIfAborted()
  const limit = new AbortController()
  const stop = () => limit.abort(signal?.reason)
  const late = () =>
    limit.abort(new DOMException(`timeout after ${seconds} seconds`, 'TimeoutError'))
  const timer = setTimeout(late, Math.min(seconds * 1000, MAX_TIMER_MS))
  signal?.addEventListener('abort', stop)
  try {
    return await work(limit.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
