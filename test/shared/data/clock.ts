import { afterAll, beforeEach, vi } from 'vitest'

const NOW = new Date('2026-11-20T12:00:00.000Z').getTime()

// Each test of a file that imports this begins at the same moment; its clock stands still. Timers run as ever.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterAll(() => {
  vi.useRealTimers()
})

/** Sets the clock, in milliseconds since the test began. */
export const at = (milliseconds: number) => vi.setSystemTime(NOW + milliseconds)
