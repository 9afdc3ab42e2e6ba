import { PetStoreError } from './pet-store-error.ts'

/** How often something is tried, and how long is waited in between, in all. */
export type Patience = { attempts: number; maxWaitSeconds: number }

/** Tries something, again where it fails with what may pass by itself, and not before `Retry-After`. */
export const retry = async <T>(
  attempt: () => Promise<T>,
  { attempts, maxWaitSeconds }: Patience,
  signal: AbortSignal | undefined,
): Promise<T> => {
  let waited = 0
  for (let made = 1; ; made++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof PetStoreError) || !mayPass(error) || made >= attempts) throw error
      const seconds = (error.retryAfter ?? 0) + backoff(made)
      if (waited + seconds > maxWaitSeconds) throw error
      waited += seconds
      await pause(seconds, signal)
    }
  }
}

/** No answer came, or one that says "not now". A 500 is a bug: it would only be met again. */
const mayPass = ({ code, status }: PetStoreError): boolean =>
  code === 'no_answer' || [429, 502, 503, 504].includes(status)

/** Seconds; some of them by chance, so that clients that failed together do not come back together. */
const backoff = (made: number): number => Math.random() * 0.1 * 2 ** made

const MAX_TIMER = 2 ** 31 - 1 // Milliseconds; a timer of more fires at once.

/** Does some work with a signal that aborts it after so many seconds, or when `signal` does. */
export const within = async <T>(
  seconds: number,
  signal: AbortSignal | undefined,
  work: (limit: AbortSignal) => Promise<T>,
): Promise<T> => {
  signal?.throwIfAborted()
  // Not `AbortSignal.any` of an `AbortSignal.timeout`, which Node.js 20 may drop as garbage before it fires.
  const limit = new AbortController()
  const stop = () => limit.abort(signal?.reason)
  const late = () => limit.abort(new DOMException(`It took more than ${seconds} seconds.`, 'TimeoutError'))
  const timer = setTimeout(late, Math.min(seconds * 1000, MAX_TIMER))
  signal?.addEventListener('abort', stop)
  try {
    return await work(limit.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

/** Waits so many seconds. Throws the reason of `signal` as soon as that aborts. */
export const pause = async (seconds: number, signal: AbortSignal | undefined): Promise<void> => {
  await within(seconds, signal, (limit) => new Promise((resolve) => limit.addEventListener('abort', resolve)))
  signal?.throwIfAborted()
}
