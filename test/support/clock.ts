import { afterAll, beforeEach, vi } from 'vitest'

/** When each test starts, in milliseconds since 1970. */
const NOW = Date.UTC(2026, 10, 20, 12)

// Each test of a file that imports this starts at the same time, and its clock stands still. Timers
// are real.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterAll(() => {
  vi.useRealTimers()
})

/** Sets the clock, in milliseconds since the start of the test. */
export const at = (milliseconds: number) => vi.setSystemTime(NOW + milliseconds)
