import { hash } from 'node:crypto'
import * as v from 'valibot'
import { stringifyJson } from './json.ts'

/**
 * The header `Idempotency-Key`: bare, as most clients send it, or as a quoted string (RFC 9651, section 3.3.3), as its
 * draft has it (draft-ietf-httpapi-idempotency-key-header). Both spell the same key.
 */
export const IdempotencyKey = v.pipe(
  v.string(),
  v.regex(/^(?:[!#-~][!-~]{0,254}|"(?:[!#-[\]-~]|\\["\\]){1,255}")$/),
  v.transform((text) => (text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text)),
  v.description('1 to 255 visible ASCII characters, bare or in double quotes'),
)

/** What a client wants done once, however often it asks: it is named by the client, the operation and the key. */
export type Intent = { clientId: string; operation: string; key: string }

/** What is stored in an intent's place. JSON keeps the parts apart, so that no two intents have one digest. */
export const intentDigest = ({ clientId, operation, key }: Intent): string =>
  hash('sha256', JSON.stringify([clientId, operation, key]))

/** A digest of the values of a body, by which another body is told from the same one in another spelling. */
export const fingerprintOf = (body: object): string => hash('sha256', stringifyJson(Object.entries(body).sort()))
