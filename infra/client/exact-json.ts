// Reads and writes int64 values without rounding them, also in Node.js 20 and old browsers: digits
// pass through `JSON` as a string that starts with a random mark.

/** Parses JSON. An int64 that a `number` would round becomes a `bigint`. */
export const parseJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  if (!/\d{16}/.test(text)) return value
  const mark = randomText()
  const marked = text.replace(STRING_OR_NUMBER, (token) =>
    isRounded(token) ? `"${mark}${token}"` : token,
  )
  return JSON.parse(marked, (_key, part: unknown) =>
    typeof part === 'string' && part.startsWith(mark) ? BigInt(part.slice(mark.length)) : part,
  )
}

/**
 * Writes an object as JSON, with each `bigint` in plain digits. Throws the errors of `checkNumber`.
 */
export const stringifyJson = (value: object): string => {
  const mark = randomText()
  // A program may have defined `BigInt.prototype.toJSON`, so `part` may not be the `bigint`.
  function replace(this: Record<string, unknown>, key: string, part: unknown): unknown {
    if (typeof this[key] === 'bigint') return mark + this[key]
    checkNumber(part)
    return part
  }
  return JSON.stringify(value, replace).replaceAll(new RegExp(`"${mark}([^"]+)"`, 'g'), '$1')
}

/** Throws a TypeError for NaN and infinities, a RangeError for a `number` that may be rounded. */
export const checkNumber = (value: unknown): void => {
  if (typeof value !== 'number') return
  // `JSON.stringify` writes null, which removes a field in a change.
  if (!Number.isFinite(value))
    throw new TypeError(`${value} cannot be sent, because JSON has no such number.`)
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER)
    throw new RangeError(
      `${value} may already have been rounded. Pass an integer beyond 2^53 - 1 as a bigint.`,
    )
}

/** 128 random bits in hexadecimal. (Pages without HTTPS have no `crypto.randomUUID`.) */
export const randomText = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

// An int64 has at most 19 digits. To convert a number of millions of digits takes seconds.
const isRounded = (token: string): boolean =>
  /^-?\d{16,19}$/.test(token) && !Number.isSafeInteger(Number(token))
