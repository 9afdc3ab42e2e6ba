import * as v from 'valibot'
import { digestOf } from './api-key.ts'

const KEY_TEXT = /^(?:[!#-~][!-~]{0,254}|"(?:[!#-[\]-~]|\\["\\]){1,255}")$/

/**
 * The header `Idempotency-Key`. A key may be bare, as most clients send it, or a quoted string (RFC 9651, section
 * 3.3.3), as draft-ietf-httpapi-idempotency-key-header requires. Both forms mean the same key.
 */
export const IdempotencyKey = v.pipe(
  v.string(),
  v.examples(['0b1c2d3e-4f50-4172-8394-a5b6c7d8e9fa']),
  v.regex(KEY_TEXT),
  v.transform((text) => (text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text)),
  v.metadata({ type: 'string', pattern: KEY_TEXT.source }),
  v.description('1 to 255 visible ASCII characters, bare or in double quotes'),
)

/**
 * What a client wants done once, however often it sends the request: identified by the first three. `request` is a digest of
 * what it asked for.
 */
export type Intent = { clientId: string; operation: string; key: string; request: string }

/** The digest that is stored for an intent. JSON separates the parts, so that two intents cannot have the same text. */
export const intentDigest = ({ clientId, operation, key }: Intent): string =>
  digestOf(JSON.stringify([clientId, operation, key]))
