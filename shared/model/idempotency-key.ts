import * as v from 'valibot'
import { digestOf } from './api-key.ts'
import { mustBe } from './fields.ts'

const KEY_TEXT = /^(?:[!#-~][!-~]{0,254}|"(?:[!#-[\]-~]|\\["\\]){1,255}")$/

/**
 * The header `Idempotency-Key`: bare, as most clients send it, or a quoted string (RFC 9651,
 * section 3.3.3) as draft-ietf-httpapi-idempotency-key-header requires. Both are one key.
 */
export const IdempotencyKey = v.pipe(
  v.string(),
  v.examples(['0b1c2d3e-4f50-4172-8394-a5b6c7d8e9fa']),
  v.regex(KEY_TEXT),
  v.transform((text) => (text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text)),
  v.metadata({ type: 'string', pattern: KEY_TEXT.source }),
  mustBe('1 to 255 visible ASCII characters, bare or in double quotes'),
)

/** A request with an idempotency key: it takes effect once, however often a client sends it. */
export type IdempotentRequest = {
  clientId: string
  operation: string
  key: string
  /** The digest of everything that was sent. */
  request: string
}

/** A digest of whose key it is. JSON keeps the parts apart: no two keys have the same text. */
export const digestOfKey = ({ clientId, operation, key }: IdempotentRequest): string =>
  digestOf(JSON.stringify([clientId, operation, key]))

/** A digest of JSON values. The order of keys does not matter, at any depth. */
export const jsonDigest = (value: unknown): string =>
  digestOf(JSON.stringify(value, exactAndSorted))

const exactAndSorted = (_key: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return JSON.rawJSON(value.toString())
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
