// The service's own (model/json.ts) relies on `JSON.rawJSON` and on a reviver that is told the source of a number. Node.js
// 20 and browsers before 2025 have neither. Here, digits pass `JSON` as a string behind a mark, which is random, so that
// no text of a pet can be taken for it.

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

/** The value that JSON text spells; an integer that a `number` would round is a `bigint`. */
export const parseJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  if (!/\d{16}/.test(text)) return value
  const mark = randomText()
  const marked = text.replace(STRING_OR_NUMBER, (token) => (isRounded(token) ? `"${mark}${token}"` : token))
  return JSON.parse(marked, (_key, part: unknown) =>
    typeof part === 'string' && part.startsWith(mark) ? BigInt(part.slice(mark.length)) : part,
  )
}

/** `value` as JSON text, a `bigint` in plain digits. */
export const writeJson = (value: unknown): string => {
  const mark = randomText()
  // Not the `part` that it is given: a program may have taught `BigInt.prototype` to be JSON in its own way.
  function replace(this: Record<string, unknown>, key: string, part: unknown): unknown {
    const digits = digitsOf(this[key])
    return digits === undefined ? part : mark + digits
  }
  const text: string | undefined = JSON.stringify(value, replace)
  return text?.replaceAll(new RegExp(`"${mark}([^"]+)"`, 'g'), '$1') ?? ''
}

const isRounded = (token: string): boolean => /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token))

const digitsOf = (part: unknown): string | undefined => {
  if (typeof part === 'bigint') return part.toString()
  // A `number` beyond 2^53 may be another one than was meant. With a fraction, the service refuses it, and says why.
  const isUnsafe = Number.isInteger(part) && !Number.isSafeInteger(part)
  return isUnsafe ? `${BigInt(part as number)}.0` : undefined // `isInteger` is true of numbers alone.
}

/** 128 random bits in hexadecimal. (`crypto.randomUUID` is missing on pages that did not come over HTTPS.) */
export const randomText = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
