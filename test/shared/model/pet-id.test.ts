import fc from 'fast-check'
import { beforeEach, expect, test, vi } from 'vitest'

const clock = (time: string) => new Date(time).getTime()
let newPetId: (now?: number) => number

beforeEach(async () => {
  vi.restoreAllMocks()
  // A process of its own for each test: the module remembers its last id.
  vi.resetModules()
  ;({ newPetId } = await import('../../../shared/model/pet.ts'))
})

test.each([
  ['2024-01-01T00:00:00.001Z', 0, 4096],
  ['2024-01-01T00:00:00.001Z', 0.9999, 8191],
  ['2026-11-20T00:00:00.000Z', 0.5, 373_004_697_602_048],
  ['2093-09-06T15:47:35.551Z', 0.9999, 9_007_199_254_740_991],
])('an id of %s is its milliseconds since 2024, then 12 bits of chance (%s)', (time, chance, id) => {
  vi.spyOn(Math, 'random').mockReturnValue(chance)

  expect(newPetId(clock(time))).toBe(id)
})

test('an id is of this moment', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: clock('2026-11-20T00:00:00Z') })
  vi.spyOn(Math, 'random').mockReturnValue(0)

  const id = newPetId()
  vi.useRealTimers()

  expect(id).toBe(373_004_697_600_000)
})

test('ids differ from one process to the next within a millisecond', () => {
  const chances = new Set(Array.from({ length: 100 }, (_, ms) => newPetId(clock('2026-11-20T00:00:00Z') + ms) % 4096))

  expect(chances.size).toBeGreaterThan(50)
})

test('ids ascend while the clock stands still, for longer than a millisecond has ids', () => {
  const now = clock('2026-11-20T00:00:00Z')

  const ids = Array.from({ length: 10_000 }, () => newPetId(now))

  expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? 0))).toBe(true)
})

test('ids ascend by one when the clock goes back', () => {
  const id = newPetId(clock('2026-11-20T00:00:00Z'))

  expect(newPetId(clock('2026-11-19T00:00:00Z'))).toBe(id + 1)
  expect(newPetId(clock('2023-11-19T00:00:00Z'))).toBe(id + 2)
})

test('ids ascend and fit into 53 bits whatever the clock does', () => {
  const times = fc.array(fc.integer({ min: clock('2020-01-01T00:00:00Z'), max: clock('2093-09-06T00:00:00Z') }))
  let last = 0

  fc.assert(
    fc.property(times, (readings) => {
      for (const now of readings) {
        const id = newPetId(now)
        expect(id).toBeGreaterThan(last)
        expect(Number.isSafeInteger(id)).toBe(true)
        last = id
      }
    }),
  )
})
