import fc from 'fast-check'
import * as v from 'valibot'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { Limit, NewPet, Pet } from '../../../shared/model/pet.ts'

describe('a name', () => {
  const isName = (name: unknown) => v.is(NewPet, { name, categoryId: 7 })

  test('has 1 to 1000 characters, which take one or two UTF-16 code units each', () => {
    const [letters, dogs] = ['x'.repeat(1000), '🐕'.repeat(1000)]
    const valid = ['R', ' Rex \n', 'a\0b', 'e\u0301', '\u200B', letters, dogs, `${letters.slice(1)}🐕`]
    const invalid = ['', `${letters}x`, `${dogs}🐕`, `${letters}🐕`, letters.repeat(100)]

    expect([...valid, ...invalid].filter(isName)).toEqual(valid)
  })

  test.each([
    ['only white space', [' ', '\u00A0', '\u3000', '\u00A0\u3000\t\r\n\v\f\u2028\u2029\uFEFF']],
    ['text that was lost', ['Rex\uD83D', '\uDC15Rex', '\uDC15\uD83D', 'R\uFFFDx']],
    ['another type', [7, null, undefined, ['Rex']]],
  ])('must not be %s', (_, names) => {
    expect(names.filter(isName)).toEqual([])
  })
})

test('a status is one of three, or missing', () => {
  const valid = ['available', 'pending', 'sold', undefined]
  const invalid = ['', 'Available', 'sold ', 'none', 'available#0', null, 0, ['sold']]

  const isStatus = (status: unknown) => v.is(NewPet, { name: 'Rex', categoryId: 7, status })
  expect([...valid, ...invalid].filter(isStatus)).toEqual(valid)
})

test('a limit is an integer from 1 to 100 in digits', () => {
  const invalid = ['0', '101', '-1', '1.5', '1e1', '07', '+7', ' 7', '7\n', 'abc', '', ['2', '3']]

  expect(['1', '20', '100'].map((text) => v.parse(Limit, text))).toEqual([1, 20, 100])
  expect(invalid.filter((value) => v.is(Limit, value))).toEqual([])
})

test('only the known fields of a new pet are kept', () => {
  const sent = { id: 1, name: 'Rex', categoryId: 7, status: 'sold', owner: 'Ann', creation: 'x', statusShard: 'sold#9' }

  expect(v.parse(NewPet, sent)).toStrictEqual({ name: 'Rex', categoryId: 7, status: 'sold' })
  expect(v.parse(NewPet, { name: 'Rex', categoryId: 7 })).toStrictEqual({ name: 'Rex', categoryId: 7 })
})

test('a pet that the service returns has an id', () => {
  expect(v.is(Pet, { id: 1, name: 'Rex', categoryId: 7 })).toBe(true)
  expect(v.is(Pet, { name: 'Rex', categoryId: 7 })).toBe(false)
})

describe('ids', () => {
  const timeOf = (time: string) => new Date(time).getTime()
  const now = timeOf('2026-11-20T00:00:00Z')
  let newPetId: (now?: number) => number

  beforeEach(async () => {
    vi.restoreAllMocks()
    // Each test gets its own copy of the module, because the module remembers its last id.
    vi.resetModules()
    ;({ newPetId } = await import('../../../shared/model/pet.ts'))
  })

  test.each([
    ['2024-01-01T00:00:00.001Z', 0, 4096],
    ['2024-01-01T00:00:00.001Z', 0.9999, 8191],
    ['2026-11-20T00:00:00.000Z', 0.5, 373_004_697_602_048],
    ['2093-09-06T15:47:35.551Z', 0.9999, 9_007_199_254_740_991],
  ])('have the milliseconds since 2024, then 12 random bits: %s, %s', (time, random, id) => {
    vi.spyOn(Math, 'random').mockReturnValue(random)

    expect(newPetId(timeOf(time))).toBe(id)
  })

  test('have the time of the clock', () => {
    vi.spyOn(Date, 'now').mockReturnValue(now)
    vi.spyOn(Math, 'random').mockReturnValue(0)

    expect(newPetId()).toBe(373_004_697_600_000)
  })

  test('have random bits that differ between processes', () => {
    const bits = new Set(Array.from({ length: 100 }, (_, milliseconds) => newPetId(now + milliseconds) % 4096))

    expect(bits.size).toBeGreaterThan(50)
  })

  test('ascend by one if the clock goes back, or stands still for longer than a millisecond has ids', () => {
    const id = newPetId(now)
    const back = [newPetId(timeOf('2026-11-19T00:00:00Z')), newPetId(timeOf('2023-11-19T00:00:00Z'))]
    const still = Array.from({ length: 10_000 }, () => newPetId(now))

    expect(back).toEqual([id + 1, id + 2])
    expect(still.every((each, i) => each > (still[i - 1] ?? id + 2))).toBe(true)
  })

  test('ascend and fit into 53 bits, whatever the clock does', () => {
    const times = fc.array(fc.integer({ min: timeOf('2020-01-01T00:00:00Z'), max: timeOf('2093-09-06T00:00:00Z') }))
    let last = 0

    fc.assert(
      fc.property(times, (readings) => {
        for (const reading of readings) {
          const id = newPetId(reading)
          expect(id).toBeGreaterThan(last)
          expect(Number.isSafeInteger(id)).toBe(true)
          last = id
        }
      }),
    )
  })
})
