import * as v from 'valibot'
import { exactNumber } from './json.ts'

/** An integer from `least` to `most`, which are at most 2^53 - 1. For any int64, there is `Int64`. */
export const Integer = (least: number, most: number) =>
  v.pipe(
    v.number(),
    v.safeInteger(),
    v.minValue(least),
    v.maxValue(most),
    v.metadata({ type: 'integer', format: 'int64', minimum: least, maximum: most }),
    v.description(`an integer from ${least} to ${most}`),
  )

/** The least number above zero that DynamoDB stores. */
const LEAST = 1e-130

/** A number from `least` to `most`. A body with one that a double would round is invalid, not rounded. */
export const Decimal = (least = -(2 ** 53), most = 2 ** 53) =>
  v.pipe(
    v.number(),
    v.minValue(least),
    v.maxValue(most),
    v.check((number) => number === 0 || Math.abs(number) >= LEAST),
    v.metadata({ type: 'number', format: 'double', minimum: least, maximum: most }),
    v.description(`a number from ${least} to ${most}, with at most 15 significant digits`),
  )

/** A parameter that is a number or a boolean, which arrives as text. */
export const Parameter = <Kind extends v.GenericSchema>(kind: Kind) =>
  v.pipe(
    v.string(),
    v.transform((text): unknown => {
      if (/^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return exactNumber(text)
      return text === 'true' || (text === 'false' ? false : text)
    }),
    kind,
  )
