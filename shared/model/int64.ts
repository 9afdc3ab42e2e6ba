import * as v from 'valibot'
import { mustBe } from './fields.ts'

/** The smallest and the largest int64. */
const MIN_INT64 = -(2n ** 63n)
const MAX_INT64 = 2n ** 63n - 1n

const RANGE = `an integer from ${MIN_INT64} to ${MAX_INT64}, in digits`

/** An integer that a `number` holds exactly. */
export const SafeInteger = v.pipe(v.number(), v.safeInteger())

/**
 * An int64, always exact: a `number` up to 2^53 - 1, a `bigint` beyond. Rounding an identifier
 * would be silent data loss.
 */
export const Int64 = v.pipe(
  v.union([SafeInteger, v.pipe(v.bigint(), v.minValue(MIN_INT64), v.maxValue(MAX_INT64))]),
  // No limits: JavaScript tools would round them, and others refuse the result.
  v.metadata({ type: 'integer', format: 'int64' }),
  mustBe(`a JSON number, without quotes: ${RANGE}`),
)
export type Int64 = v.InferOutput<typeof Int64>

/**
 * An int64 in a path or a query: decimal digits without leading zeros, so that each id has one
 * address.
 */
export const Int64Text = v.pipe(
  v.string(),
  v.regex(/^(0|-?[1-9]\d{0,18})$/),
  v.transform((digits) => exactInteger(digits)),
  Int64,
  mustBe(RANGE),
)

/** Parses signed decimal digits; the result is a `bigint` if a `number` would be rounded. */
export const exactInteger = (digits: string): Int64 => {
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : BigInt(digits)
}
