import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { exactJson, stringifyJson } from '../../../shared/model/json.ts'

afterEach(() => void vi.restoreAllMocks())

describe('reading JSON', () => {
  test('is exact at any depth, under any key, and leaves digits in strings alone', () => {
    const text =
      '{"b":{"2":[1,{"1":9007199254740993}],"__proto":1e-400},' +
      '"9007199254740993":["1e-400","\\"9007199254740993"]}'

    const value = exactJson(text)

    expect(value).toEqual({
      b: { 2: [1, { 1: 9007199254740993n }], __proto: Number.NaN },
      '9007199254740993': ['1e-400', '"9007199254740993'],
    })
  })

  // It takes a millisecond; with a quadratic search it would take a minute.
  test('is fast for a number of any length', { timeout: 10_000 }, () => {
    expect(exactJson(`1${'0'.repeat(250_000)}1.5`)).toBeNaN()
  })

  test('does not convert an integer with more digits than an int64 has', () => {
    const convert = vi.spyOn(globalThis, 'BigInt')

    expect(exactJson('12345678901234567890')).toBeNaN()
    expect(convert).not.toHaveBeenCalled()
  })
})

test('any JSON with int64s is written as it was read', () => {
  const int64 = fc.bigInt({ min: -9223372036854775808n, max: 9223372036854775807n })
  const json = fc.object({
    values: [int64, fc.string(), fc.boolean(), fc.constant(null)],
    withNullPrototype: true,
  })

  fc.assert(
    fc.property(json, int64, (value, id) => {
      const text = stringifyJson({ ...value, id })

      expect(text).toContain(`"id":${id}`)
      expect(stringifyJson(exactJson(text))).toBe(text)
    }),
  )
})
