import { PetStoreError } from './pet-store-error.ts'

/**
 * Repeats an attempt that fails for a temporary reason: with exponential backoff, and not before `Retry-After`.
 *
 * @param attempt gets whether an earlier attempt may have taken effect; if so, it is made only if `isRepeatable`
 * @throws the error of the last attempt, or the reason of the signal
 */
export const retry = async <T>(
  attempt: (mayBeDone: boolean) => Promise<T>,
  { attempts, maxWaitSeconds, isRepeatable }: { attempts: number; maxWaitSeconds: number; isRepeatable: boolean },
  signal: AbortSignal | undefined,
): Promise<T> => {
  let waited = 0
  let mayBeDone = false
  for (let made = 1; ; made++) {
    try {
      return await attempt(mayBeDone)
    } catch (error) {
      if (!(error instanceof PetStoreError) || !isTemporary(error)) throw error
      mayBeDone ||= error.status !== 429 // A request over the rate limit is not handled.
      const seconds = (error.retryAfter ?? 0) + backoff(made)
      waited += seconds
      if (made >= attempts || waited > maxWaitSeconds || (mayBeDone && !isRepeatable)) throw error
      await pause(seconds, signal)
    }
  }
}

/**
 * Does some work with a signal that aborts after this many seconds, or when `signal` aborts.
 *
 * @throws the reason of `signal` if it has aborted before
 */
export const within = async <T>(
  seconds: number,
  signal: AbortSignal | undefined,
  work: (limit: AbortSignal) => Promise<T>,
): Promise<T> => {
  signal?.throwIfAborted()
  // Node.js 20 may garbage-collect an `AbortSignal.any` of an `AbortSignal.timeout` before it aborts.
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

/**
 * Waits this many seconds.
 *
 * @throws the reason of the signal as soon as it aborts
 */
export const pause = async (seconds: number, signal: AbortSignal | undefined): Promise<void> => {
  await within(seconds, signal, (limit) => new Promise((resolve) => limit.addEventListener('abort', resolve)))
  signal?.throwIfAborted()
}

const MAX_TIMER_MS = 2 ** 31 - 1 // A longer timer fires at once.

// A 500 is a bug of the service: a retry would fail again.
const isTemporary = ({ code, status }: PetStoreError): boolean =>
  code === 'no_answer' || [429, 502, 503, 504].includes(status)

// In seconds. Random, so that clients that failed together do not retry together.
const backoff = (made: number): number => Math.random() * 0.1 * 2 ** made
