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
