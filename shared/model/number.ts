import * as v from 'valibot'
import { SafeInteger } from './int64.ts'
import { exactNumber } from './json.ts'

/** An integer from `least` to `most`, at most ±(2^53 - 1). For any int64, there is `Int64`. */
export const Integer = (least: number, most: number) => {
  const { minimum, maximum } = exactRange(least, most)
  return v.pipe(
    SafeInteger,
    v.minValue(minimum),
    v.maxValue(maximum),
    v.metadata({ type: 'integer', format: 'int64', minimum, maximum }),
    v.description(`an integer from ${minimum} to ${maximum}`),
  )
}

const LARGEST = Number.MAX_SAFE_INTEGER

/** The least number above zero that DynamoDB stores. */
const LEAST = 1e-130

/** What each `Decimal` starts with: a number that JavaScript and DynamoDB hold exactly. */
export const AnyDecimal = v.pipe(
  v.number(),
  v.minValue(-LARGEST),
  v.maxValue(LARGEST),
  v.check((number) => number === 0 || Math.abs(number) >= LEAST),
)

/**
 * A number from `least` to `most`, at most ±(2^53 - 1), with at most so many `decimals`: add
 * amounts in cents, because 0.1 + 0.2 has more. What a double would round is invalid.
 */
export const Decimal = (least = -LARGEST, most = LARGEST, decimals?: number) => {
  const { minimum, maximum } = exactRange(least, most)
  const isLimited = decimals !== undefined
  const multipleOf = isLimited ? Number(`1e-${decimals}`) : undefined
  const digits = isLimited
    ? `15 significant digits, ${decimals} after the point`
    : '15 significant digits'
  return v.pipe(
    AnyDecimal,
    v.minValue(minimum),
    v.maxValue(maximum),
    // The remainder of 0.29 and 0.01 is not 0.
    v.check((number) => !isLimited || Number(number.toFixed(decimals)) === number),
    v.metadata({ type: 'number', format: 'double', minimum, maximum, multipleOf }),
    v.description(`a number from ${minimum} to ${maximum}, with at most ${digits}`),
  )
}

const exactRange = (least: number, most: number) => ({
  minimum: Math.max(least, -LARGEST),
  maximum: Math.min(most, LARGEST),
})

/** What each `Parameter` starts with. */
export const ParameterText = v.pipe(
  v.string(),
  v.transform((text): unknown => {
    if (/^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return exactNumber(text)
    return text === 'true' || (text === 'false' ? false : text)
  }),
)

/** A parameter that is a number or a boolean, which arrives as text. */
export const Parameter = <Kind extends v.GenericSchema<number | bigint | boolean>>(kind: Kind) =>
  v.pipe(ParameterText, kind)
