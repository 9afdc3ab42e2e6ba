import { PetStoreError } from './pet-store-error.ts'
import { pause } from './time-limit.ts'

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
