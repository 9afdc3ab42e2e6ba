import fc from 'fast-check'
import * as v from 'valibot'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Int64 } from '../../../shared/model/int64.ts'
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

describe('an int64 in a body', () => {
  /**
   * The integer that a JSON number means, by decimal arithmetic on its text; `undefined` for a
   * fraction.
   */
  const integerIn = (source: string): bigint | undefined => {
    const [, sign, whole = '', fraction = '', exponent = '0'] =
      /^(-?)(\d+)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
    const shift = BigInt(exponent) - BigInt(fraction.length)
    const digits = BigInt(`${sign}${whole}${fraction}`)
    if (shift >= 0n) return digits * 10n ** shift
    return digits % 10n ** -shift === 0n ? digits / 10n ** -shift : undefined
  }

  /** The integer that the service reads; `undefined` if it rejects the number. */
  const int64In = (source: string): bigint | undefined => {
    const { success, output } = v.safeParse(
      v.object({ size: Int64 }),
      exactJson(`{"size":${source}}`),
    )
    return success ? BigInt(output.size) : undefined
  }

  const whole = fc.stringMatching(/^-?(0|[1-9]\d{0,20})$/)
  const exponent = fc.option(fc.integer({ min: -420, max: 330 }), { nil: 0 })
  const numbers = fc.oneof(
    fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(String),
    fc.tuple(whole, exponent).map(([a, e]) => `${a}e${e}`),
    fc.tuple(whole, fc.stringMatching(/^\d{1,20}$/), exponent).map(([a, b, e]) => `${a}.${b}E${e}`),
  )

  const isInt64 = (integer: bigint) => BigInt.asIntN(64, integer) === integer

  test('is exact: every int64 in plain digits is valid, and no other integer', () => {
    fc.assert(
      fc.property(numbers, (source) => {
        const int64 = int64In(source)

        const mustBeValid = /^-?\d+$/.test(source) && isInt64(BigInt(source))
        if (mustBeValid || int64 !== undefined) expect(int64).toBe(integerIn(source))
        expect(isInt64(int64 ?? 0n)).toBe(true)
      }),
      { numRuns: 5000 },
    )
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
