import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { scopes as allScopes, type Scope } from '../../shared/model/api-key.ts'
import type { NewKey } from './key-table.ts'

/** The output of a command: `text` for people, `json` for scripts, and the `failure` of a command that half succeeded. */
export type Report = { text: string; json: unknown; failure?: Error | undefined }

/** Reports a new key. Only this report, and that of a rotation, shows a key itself. */
export const issued = ({ text, stored }: NewKey): Report => {
  const lines = [
    `API key  ${text}`,
    `Key      ${stored.keyId}`,
    `Client   ${stored.clientId}`,
    `Name     ${printable(stored.name)}`,
    `Scopes   ${scopesOf(stored)}`,
    `State    ${expiryOf(stored)}`,
    '',
    'Store the key now: it is not shown again.',
  ]
  return { text: lines.join('\n'), json: { key: text, ...viewOf(stored) } }
}

/** Reports a rotation: the new key, and until when the old key is valid. */
export const rotated = (fresh: NewKey, old: StoredApiKey): Report => {
  const { text, json } = issued(fresh)
  return {
    text: `${text}\nThe previous key, ${old.keyId}: ${expiryOf(old)}.`,
    json: { ...Object(json), previous: viewOf(old) },
  }
}

/** Reports all keys. */
export const listed = (keys: StoredApiKey[]): Report => ({
  text: keys.length > 0 ? tableOf(keys) : 'There are no keys.',
  json: keys.map(viewOf),
})

/** Reports a revoked key. */
export const revoked = ({ keyId, clientId, name }: StoredApiKey): Report => ({
  text: `${keyId} is revoked. Functions that have just used it accept it for up to one more minute.`,
  json: { keyId, clientId, name },
})

/** Text without control characters, which could forge lines or control the terminal. */
export const printable = (text: string): string =>
  text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

/** A key in JSON: everything but its digest. Times are ISO 8601. */
type KeyView = {
  keyId: string
  clientId: string
  name: string
  scopes: readonly Scope[]
  createdAt: string
  expiresAt?: string
  state: 'valid' | 'expired'
}

const viewOf = ({ keyId, clientId, name, scopes = allScopes, createdAt, expiresAt }: StoredApiKey): KeyView => ({
  keyId,
  clientId,
  name,
  scopes,
  createdAt,
  ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt * 1000).toISOString() }),
  state: secondsLeft(expiresAt) > 0 ? 'valid' : 'expired',
})

const tableOf = (keys: StoredApiKey[]): string => {
  const rows = keys.map((key) => {
    const { keyId, clientId, name, createdAt, expiresAt = 'never' } = viewOf(key)
    return [keyId, clientId, printable(name), scopesOf(key), minuteOf(createdAt), minuteOf(expiresAt), stateOf(key)]
  })
  const table = [['KEY', 'CLIENT', 'NAME', 'SCOPES', 'CREATED', 'EXPIRES', 'STATE'], ...rows]
  const widths = table[0]?.map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0))) ?? []
  return table.map((row) => `${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd()).join('\n')
}

const scopesOf = (key: StoredApiKey): string => viewOf(key).scopes.join(' ') || 'none'

const expiryOf = (key: StoredApiKey): string => {
  const { expiresAt } = viewOf(key)
  return expiresAt === undefined ? 'does not expire' : `${stateOf(key)} (${expiresAt})`
}

// `valid`, `expired` or `expires in 24 hours`
const stateOf = ({ expiresAt }: StoredApiKey): string => {
  const left = secondsLeft(expiresAt)
  if (left === Number.POSITIVE_INFINITY) return 'valid'
  if (left <= 0) return 'expired'
  const [unit, seconds] = UNITS.find(([, length]) => left >= 2 * length) ?? ['seconds', 1]
  return `expires ${relativeTime.format(Math.round(left / seconds), unit)}`
}

const UNITS = [
  ['days', 86_400],
  ['hours', 3600],
  ['minutes', 60],
] as const

const relativeTime = new Intl.RelativeTimeFormat('en')

const secondsLeft = (expiresAt = Number.POSITIVE_INFINITY): number => expiresAt - Date.now() / 1000

// 2026-11-20 13:20Z
const minuteOf = (time: string): string => time.replace(/T(\d+:\d+):.*Z$/, ' $1Z')
