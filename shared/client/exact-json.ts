// Reads and writes int64 values without rounding them. The service uses `JSON.rawJSON` and the source text of numbers in a
// reviver (model/json.ts), which Node.js 20 and browsers before 2025 do not have. Here, digits pass through `JSON` as a
// string that starts with a mark. The mark is random, so no text of a pet can be mistaken for it.

/** Parses JSON. An integer that a `number` would round becomes a `bigint`. */
export const parseJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  if (!/\d{16}/.test(text)) return value
  const mark = randomText()
  const marked = text.replace(STRING_OR_NUMBER, (token) => (isRounded(token) ? `"${mark}${token}"` : token))
  return JSON.parse(marked, (_key, part: unknown) =>
    typeof part === 'string' && part.startsWith(mark) ? BigInt(part.slice(mark.length)) : part,
  )
}

/** Writes JSON, a `bigint` in plain digits. Returns an empty text for a value that JSON does not have. */
export const writeJson = (value: unknown): string => {
  const mark = randomText()
  // Not `part`: a program may have defined `BigInt.prototype.toJSON`.
  function replace(this: Record<string, unknown>, key: string, part: unknown): unknown {
    const digits = digitsOf(this[key])
    return digits === undefined ? part : mark + digits
  }
  const text: string | undefined = JSON.stringify(value, replace)
  return text?.replaceAll(new RegExp(`"${mark}([^"]+)"`, 'g'), '$1') ?? ''
}

/** 128 random bits in hexadecimal. (Pages without HTTPS have no `crypto.randomUUID`.) */
export const randomText = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

const isRounded = (token: string): boolean => /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token))

const digitsOf = (part: unknown): string | undefined => {
  if (typeof part === 'bigint') return part.toString()
  // A `number` beyond 2^53 may already have been rounded. With a fraction, the service refuses it and says why.
  const isUnsafe = Number.isInteger(part) && !Number.isSafeInteger(part)
  return isUnsafe ? `${BigInt(part as number)}.0` : undefined // `isInteger` is true only for numbers.
}
