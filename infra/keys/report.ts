import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { isExpired, scopesOf } from '../../shared/model/api-key.ts'
import type { AllKeys, NewKey } from './key-table.ts'

/** The output of a command: `text` for people, `json` for scripts, and the `failure` of a command that half succeeded. */
export type Report = { text: string; json: object; failure?: Error | undefined }

/** Reports a new key. Only this report, and that of a rotation, shows a key itself. */
export const issued = ({ text, stored }: NewKey): Report => {
  const lines = [
    `API key  ${text}`,
    `Key      ${stored.keyId}`,
    `Client   ${printable(stored.clientId)}`,
    `Name     ${printable(stored.name)}`,
    `Scopes   ${scopeNames(stored)}`,
    `Expires  ${expiryOf(stored)}`,
    '',
    'Store the key now: it is not shown again.',
  ]
  return { text: lines.join('\n'), json: { key: text, ...viewOf(stored) } }
}

/** Reports a rotation: the new key, and until when the old key is valid. */
export const rotated = ({ fresh, old, failure }: { fresh: NewKey; old: StoredApiKey; failure?: Error }): Report => {
  const { text, json } = issued(fresh)
  return {
    text: `${text}\nThe previous key, ${old.keyId}, expires: ${expiryOf(old)}.`,
    json: { ...json, previous: viewOf(old) },
    failure,
  }
}

/** Reports all keys, and which items are damaged. */
export const listed = ({ keys, damaged }: AllKeys): Report => {
  const ids = damaged.map(printable)
  const warnings = ids.map((id) => `\nDamaged: ${id}\nRevoke it with npm run keys -- revoke ${id}`)
  return {
    text: [keys.length > 0 ? tableOf(keys) : 'There are no keys.', ...warnings].join('\n'),
    json: [...keys.map(viewOf), ...ids.map((keyId) => ({ keyId, state: 'damaged' }))],
  }
}

/** Reports a revoked key, or a damaged item. */
export const revoked = (keyId: string, key?: StoredApiKey): Report => ({
  text: `${keyId} is revoked. Functions that have just used it accept it for up to one more minute.`,
  json: { keyId, clientId: key?.clientId, name: key?.name },
})

/** Text without control characters, which could forge lines or control the terminal. */
export const printable = (text: string): string =>
  text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

/** JSON in ASCII, for the same reason. */
export const jsonText = (json: object): string =>
  JSON.stringify(json, undefined, 2).replaceAll(
    /[^\n -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

// Everything but the digest. Times are ISO 8601.
const viewOf = ({ digest, expiresAt, ...key }: StoredApiKey) => ({
  ...key,
  scopes: scopesOf(key.scopes),
  ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt * 1000).toISOString() }),
  state: isExpired(expiresAt) ? 'expired' : 'valid',
})

const tableOf = (keys: StoredApiKey[]): string => {
  const rows = keys.map((key) => {
    const { keyId, clientId, name, createdAt, state } = viewOf(key)
    return [keyId, clientId, name, scopeNames(key), minuteOf(createdAt), expiryOf(key), state].map(printable)
  })
  const table = [['KEY', 'CLIENT', 'NAME', 'SCOPES', 'CREATED', 'EXPIRES', 'STATE'], ...rows]
  const widths = table[0]?.map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0))) ?? []
  return table
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const scopeNames = (key: StoredApiKey): string => scopesOf(key.scopes).join(' ') || 'none'

const expiryOf = (key: StoredApiKey): string => minuteOf(viewOf(key).expiresAt ?? 'never')

// 2026-11-20 13:20Z
const minuteOf = (time: string): string => time.replace(/T(\d+:\d+):.*Z$/, ' $1Z')
