import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { isExpired, scopesOf } from '../../shared/model/api-key.ts'
import type { NewKey } from './key-table.ts'

/** Output for people and for scripts, and the `failure` of a command that half succeeded. */
export type Report = { text: string; json: object; failure?: Error }

/** Shows a new key. Only this shows a key itself. */
export const reportOf = ({ text, stored }: NewKey): Report => {
  const lines = [
    `API key  ${text}`,
    `Key      ${stored.keyId}`,
    `Client   ${stored.clientId}`,
    `Name     ${stored.name}`,
    `Scopes   ${scopeNames(stored)}`,
    `Expires  ${expiryOf(stored)}`,
    '',
    'Store the key now: it is not shown again.',
  ]
  return { text: lines.join('\n'), json: { key: text, ...viewOf(stored) } }
}

/**
 * What a user sees of a key, as the service takes it: somebody may have edited the item by hand.
 * Times are ISO 8601.
 */
export const viewOf = ({ digest, expiresAt, ...key }: StoredApiKey) => ({
  ...key,
  scopes: scopesOf(key.scopes),
  ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt * 1000).toJSON() ?? 'damaged' }),
  state: isExpired(expiresAt) ? 'expired' : 'valid',
})

/** Keys as lines of a table. */
export const tableOf = (keys: StoredApiKey[]): string => {
  const rows = keys.map((key) => {
    const { keyId, clientId, name, createdAt, state } = viewOf(key)
    const times = [minuteOf(`${createdAt}`), expiryOf(key)]
    return [keyId, clientId, name, scopeNames(key), ...times, state].map(String)
  })
  const table = [['KEY', 'CLIENT', 'NAME', 'SCOPES', 'CREATED', 'EXPIRES', 'STATE'], ...rows]
  const widths = table[0]?.map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0))) ?? []
  const lineOf = (row: string[]) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')
  return table.map((row) => lineOf(row).trimEnd()).join('\n')
}

const scopeNames = (key: StoredApiKey): string => viewOf(key).scopes.join(' ') || 'none'

/** When a key expires, to the minute. */
export const expiryOf = (key: StoredApiKey): string => minuteOf(viewOf(key).expiresAt ?? 'never')

// 2026-11-20 13:20Z
const minuteOf = (time: string): string => time.replace(/T(\d+:\d+):.*Z$/, ' $1Z')
