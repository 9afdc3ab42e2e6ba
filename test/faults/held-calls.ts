import type { Call, Fault } from '../support/fault-proxy.ts'
import type { Container } from './container.ts'

/** A call that waits until its fate is known. */
export type HeldCall = Call & { release: (fault: Fault) => void }

/**
 * Holds every call of the database that attempts make, so that a test says which goes on, and what it meets.
 *
 * @returns the calls that wait, as soon as all attempts wait or are over: none where all are over
 */
export const holdCalls = (attempts: { container: Container; run: () => Promise<unknown> }[]) => {
  const held = attempts.map((): HeldCall[] => [])
  const running = new Set(attempts.keys())
  let changed = Promise.withResolvers<void>()
  const change = () => {
    changed.resolve()
    changed = Promise.withResolvers()
  }
  for (const [i, { container, run }] of attempts.entries()) {
    container.proxy.faultOf = (call) =>
      new Promise((release) => {
        held[i]?.push({ ...call, release })
        change()
      })
    run().finally(() => {
      running.delete(i)
      change()
    })
  }
  return async (): Promise<HeldCall[][]> => {
    while ([...running].some((i) => held[i]?.length === 0)) await changed.promise
    return held.filter((calls) => calls.length > 0)
  }
}
