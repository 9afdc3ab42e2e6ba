import { beforeEach, expect, test, vi } from 'vitest'

const timeOf = (time: string) => new Date(time).getTime()
const now = timeOf('2026-11-20T00:00:00Z')
let newId: (now?: number) => number

beforeEach(async () => {
  vi.restoreAllMocks()
  // Each test gets its own copy of the module, because the module remembers its last id.
  vi.resetModules()
  ;({ newId } = await import('../../../shared/model/id.ts'))
})

test.each([
  ['2024-01-01T00:00:00.001Z', 0, 4096],
  ['2024-01-01T00:00:00.001Z', 0.9999, 8191],
  ['2026-11-20T00:00:00.000Z', 0.5, 373_004_697_602_048],
  ['2093-09-06T15:47:35.551Z', 0.9999, 9_007_199_254_740_991],
])('ids have the milliseconds since 2024, then 12 random bits: %s, %s', (time, random, id) => {
  vi.spyOn(Math, 'random').mockReturnValue(random)

  expect(newId(timeOf(time))).toBe(id)
})

test('ids have the time of the clock', () => {
  vi.spyOn(Date, 'now').mockReturnValue(now)
  vi.spyOn(Math, 'random').mockReturnValue(0.5)

  expect(newId()).toBe(373_004_697_602_048)
})

test('ids ascend by one when the clock goes back, and when a millisecond has none left', () => {
  const id = newId(now)
  const back = [newId(timeOf('2026-11-19T00:00:00Z')), newId(timeOf('2023-11-19T00:00:00Z'))]
  const still = Array.from({ length: 10_000 }, () => newId(now))

  expect(back).toEqual([id + 1, id + 2])
  expect(still.every((each, i) => each > (still[i - 1] ?? id + 2))).toBe(true)
})

test('a clock beyond 2093 is an error, and ids go on when it is right again', () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5)

  expect(() => newId(timeOf('2093-09-06T15:47:35.552Z'))).toThrow(
    new Error('Set the clock: it says 2093-09-06T15:47:35.552Z.'),
  )
  expect(newId(now)).toBe(373_004_697_602_048)
})
