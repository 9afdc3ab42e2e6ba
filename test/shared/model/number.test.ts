import fc from 'fast-check'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { Decimal, Integer } from '../../../shared/model/number.ts'

test.each([0, 1, 2, 3, 8])(
  'a decimal with %i digits after the point is any such number, and no other',
  (decimals) => {
    const schema = Decimal(-1e6, 1e6, decimals)
    const units = fc.integer({ min: -1e6, max: 1e6 }).map((whole) => `${whole}`)
    const digits = fc.stringMatching(new RegExp(`^[0-9]{${decimals}}$`))

    fc.assert(
      fc.property(units, digits, fc.constantFrom(1, 5, 9), (whole, fraction, more) => {
        fc.pre(Math.abs(Number(whole)) < 1e6)

        expect(v.is(schema, Number(`${whole}.${fraction}`))).toBe(true)
        expect(v.is(schema, Number(`${whole}.${fraction}${more}`))).toBe(false)
      }),
    )
  },
)

test.each([
  ['an integer', Integer],
  ['a decimal', Decimal],
])('%s is within 2^53 - 1, whatever its bounds, and says so', (_, kind) => {
  const schema = kind(-1e300, Number.POSITIVE_INFINITY)

  const [minimum, maximum] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
  expect(v.getMetadata(schema)).toMatchObject({ minimum, maximum })
  expect(v.getDescription(schema)).toContain(` from ${minimum} to ${maximum}`)
  expect(
    [minimum - 1, minimum, maximum, maximum + 1].filter((number) => v.is(schema, number)),
  ).toEqual([minimum, maximum])
})
