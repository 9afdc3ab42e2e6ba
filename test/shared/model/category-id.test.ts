import fc from 'fast-check'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { exactJson } from '../../../shared/model/json.ts'
import { NewPet } from '../../../shared/model/pet.ts'

/** The integer that a JSON number spells, by exact decimal arithmetic on its text; `undefined` where it is none. */
const integerIn = (source: string): bigint | undefined => {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const shift = BigInt(exponent) - BigInt(fraction.length)
  const digits = BigInt(`${sign}${whole}${fraction}`)
  if (shift >= 0n) return digits * 10n ** shift
  return digits % 10n ** -shift === 0n ? digits / 10n ** -shift : undefined
}

/** What the service takes the number for; `undefined` where it refuses it. */
const categoryIdIn = (source: string): bigint | undefined => {
  const text = `{"name":"Rex","categoryId":${source}}`
  const { success, output } = v.safeParse(NewPet, exactJson(text, JSON.parse(text)))
  return success ? BigInt(output.categoryId) : undefined
}

const digits = (most: number) => fc.stringMatching(new RegExp(`^\\d{1,${most}}$`))
const whole = fc.stringMatching(/^-?(0|[1-9]\d{0,20})$/)
const exponent = fc.option(fc.integer({ min: -420, max: 330 }), { nil: 0 })
const plain = fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(String)
const numbers = fc.oneof(
  plain,
  fc.tuple(whole, exponent).map(([a, e]) => `${a}e${e}`),
  fc.tuple(whole, digits(20), exponent).map(([a, b, e]) => `${a}.${b}E${e}`),
  // Fractions that a double rounds to an integer: 899999999999999.99.
  fc.tuple(fc.bigInt(2n ** 46n, 2n ** 54n), digits(8)).map((parts) => parts.join('.')),
  // Integers that do not look like one: 1200e-2.
  fc.tuple(fc.bigInt(1n, 2n ** 60n), fc.nat(20)).map(([a, zeros]) => `${a}${'0'.repeat(zeros)}e-${zeros}`),
)

test('no number is ever taken for an integer that it is not', () => {
  fc.assert(
    fc.property(numbers, (source) => {
      const taken = categoryIdIn(source)

      if (taken !== undefined) expect(taken).toBe(integerIn(source))
    }),
    { numRuns: 5000 },
  )
})

test('an integer in plain digits is taken exactly where it is an int64', () => {
  fc.assert(
    fc.property(plain, (source) => {
      const isInt64 = BigInt.asIntN(64, BigInt(source)) === BigInt(source)

      expect(categoryIdIn(source)).toBe(isInt64 ? BigInt(source) : undefined)
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['9223372036854775807', 9223372036854775807n],
  ['-9223372036854775808', -9223372036854775808n],
  ['1.0', 1n],
  ['1e3', 1000n],
  ['10e-1', 1n],
  ['0e-400', 0n],
  ['9223372036854775808', undefined],
  ['-9223372036854775809', undefined],
  ['899999999999999.99', undefined],
  ['9007199254740993.0', undefined],
  ['0.1e-400', undefined],
  ['1e-400', undefined],
  ['1e17', undefined],
  ['1e400', undefined],
  ['1.5', undefined],
])('the number %s counts as %s', (source, value) => {
  expect(categoryIdIn(source)).toBe(value)
})
