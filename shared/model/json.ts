import { exactInteger } from './int64.ts'

// TypeScript does not yet know these two parts of ECMAScript's "JSON.parse source text access" (Node.js 22).
declare global {
  interface JSON {
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
    rawJSON(text: string): unknown
  }
}

// A double holds 15 significant digits exactly; a number of more digits, or one small enough to have become 0, may
// have been rounded. Most bodies hold neither, and need no second look (0.3 µs to find out; a second parse takes 1.9).
const MAY_BE_ROUNDED = /[\d.]{16}|\d[eE]-/

/**
 * `text` as a JSON value in which no integer was rounded: one in plain digits beyond 2^53 is a `bigint`, and any other
 * number that a double does not spell with the same digits is `NaN`, which no schema takes.
 *
 * @param parsed what `JSON.parse` made of `text`
 */
export const exactJson = (text: string, parsed: unknown): unknown =>
  MAY_BE_ROUNDED.test(text) ? JSON.parse(text, exactNumber) : parsed

const exactNumber = (_key: string, value: unknown, { source = '' }: { source?: string }): unknown => {
  if (typeof value !== 'number') return value
  if (/^-?\d+$/.test(source)) return exactInteger(source)
  return significantDigits(source) === significantDigits(String(value)) ? value : Number.NaN
}

// Without `(?<!0)`, zeros that are not the last digits take the square of their number.
const significantDigits = (number: string): string =>
  number
    .replace(/e.*/i, '')
    .replace(/\D/g, '')
    .replace(/^0+|(?<!0)0+$/g, '')

/** `value` as JSON text, a `bigint` in plain digits (`JSON.stringify` throws on one). */
export const stringifyJson = (value: unknown, indent = 0): string =>
  JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? JSON.rawJSON(part.toString()) : part), indent)
