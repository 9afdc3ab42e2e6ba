import * as v from 'valibot'

/** The least and the greatest int64. */
export const MIN_INT64 = -(2n ** 63n)
export const MAX_INT64 = 2n ** 63n - 1n

/**
 * An int64 (interface, section 2), always exact: a `number` as far as those are (2^53 - 1), a `bigint` beyond.
 * Rounding an identifier would be silent data loss.
 */
export const Int64 = v.pipe(
  v.union([v.pipe(v.number(), v.safeInteger()), v.pipe(v.bigint(), v.minValue(MIN_INT64), v.maxValue(MAX_INT64))]),
  v.description(`an integer from ${MIN_INT64} to ${MAX_INT64}, in digits`),
)
export type Int64 = v.InferOutput<typeof Int64>

/** An int64 as it stands in a path: decimal digits, without leading zeros, so that one id has one address. */
export const Int64Text = v.pipe(
  v.string(),
  v.regex(/^(0|-?[1-9]\d{0,18})$/),
  v.transform((digits) => exactInteger(digits)),
  Int64,
)

/** The integer that `digits` (decimal, signed) spell, as a `bigint` where a `number` would round it. */
export const exactInteger = (digits: string): Int64 => {
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : BigInt(digits)
}
