import { afterAll, beforeEach, vi } from 'vitest'

const NOW = new Date('2026-11-20T12:00:00.000Z').getTime()

// Each test of a file that imports this starts at the same time, and its clock stands still. Timers are real.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterAll(() => {
  vi.useRealTimers()
})

/** Sets the clock, in milliseconds since the start of the test. */
export const at = (milliseconds: number) => vi.setSystemTime(NOW + milliseconds)
