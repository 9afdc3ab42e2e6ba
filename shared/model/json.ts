import { exactInteger, type Int64 } from './int64.ts'

// TypeScript lacks these parts of ECMAScript's "JSON.parse source text access" (Node.js 22).
declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown
    rawJSON(text: string): unknown
  }
}

// A second parse is slow, and after some keys with escapes its reviver gets no source
// (nodejs/node#63785). Only a run of 16 digits and dots, or a negative exponent, can need it: a
// double holds 15 significant digits, and 1e-400 becomes 0.
const MAY_BE_ROUNDED = /[\d.]{16}|\d[eE]-/

/**
 * What `JSON.parse` has `parsed`, without rounding: integers in plain digits beyond 2^53 are
 * `bigint`s, and any other number that a double rounds is `NaN`, which every schema rejects.
 */
export const exactJson = (text: string, parsed = JSON.parse(text)): unknown =>
  MAY_BE_ROUNDED.test(text)
    ? JSON.parse(text, (_key, value, { source = '' }) =>
        typeof value === 'number' ? exactNumber(source, value) : value,
      )
    : parsed

/** The number in `text`, which JavaScript has `parsed`: as `exactJson` returns it. */
export const exactNumber = (text: string, parsed = Number(text)): Int64 => {
  if (/^-?\d{1,19}$/.test(text)) return exactInteger(text) // An int64 has no more digits.
  return significantDigits(text) === significantDigits(String(parsed)) ? parsed : Number.NaN
}

const significantDigits = (number: string): string => {
  const digits = number.replace(/e.*/i, '').replace(/\D/g, '')
  // Without `(?<!0)`, a long run of zeros in the middle takes quadratic time.
  return digits.replace(/^0+/, '').replace(/(?<!0)0+$/, '')
}

/** Writes JSON, with each `bigint` in plain digits. (`JSON.stringify` throws for a `bigint`.) */
export const stringifyJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part) =>
    typeof part === 'bigint' ? JSON.rawJSON(part.toString()) : part,
  )

/** The value of a JSON text, as `exactJson` returns it; `undefined` if the text is no JSON. */
export const jsonOf = (text: string): unknown => {
  try {
    return exactJson(text)
  } catch {
    return undefined
  }
}
