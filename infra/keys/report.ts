import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import type { Rotation } from './actions.ts'
import type { NewKey } from './key-table.ts'

/** What a command prints: the text for people, or the JSON for scripts; and what went wrong although there is output. */
export type Report = { text: string; json: unknown; failure?: Error | undefined }

/** A new key. Only here is a key itself ever shown. */
export const issued = ({ text, stored }: NewKey): Report => ({
  text: `${lines({
    'API key': text,
    Key: stored.keyId,
    Client: stored.clientId,
    Name: stored.name,
    State: expiryOf(stored),
  })}

This is the only time that the key is shown.`,
  json: { key: text, ...viewOf(stored) },
})

/** The new key, and until when the old one is good. */
export const rotated = ({ fresh, old, failure }: Rotation): Report => {
  const { text, json } = issued(fresh)
  const previous = viewOf(old)
  return {
    text: `${text}\n${old.keyId}, the key before it: ${expiryOf(old)}.`,
    json: { ...Object(json), previous },
    failure,
  }
}

/** All keys. */
export const listed = (keys: StoredApiKey[]): Report => ({
  text: keys.length > 0 ? tableOf(keys) : 'There are no keys.',
  json: keys.map(viewOf),
})

/** The key that was revoked. */
export const revoked = (key: StoredApiKey): Report => ({
  text: `${key.keyId} is revoked. Functions that have just seen it take it for at most another minute.`,
  json: { keyId: key.keyId, clientId: key.clientId, name: key.name },
})

const expiryOf = (key: StoredApiKey): string => {
  const { expiresAt } = viewOf(key)
  return expiresAt === undefined ? 'does not expire' : `${stateOf(key)} (${expiresAt})`
}

const lines = (rows: Record<string, string>): string =>
  Object.entries(rows)
    .map(([label, value]) => label.padEnd(9) + value)
    .join('\n')

/** A key as it is shown: all but its digest. Times are ISO 8601. */
export type KeyView = {
  keyId: string
  clientId: string
  name: string
  createdAt: string
  expiresAt?: string
  state: 'valid' | 'expired'
}

/** A stored key as it is shown to scripts. */
export const viewOf = ({ keyId, clientId, name, createdAt, expiresAt }: StoredApiKey): KeyView => ({
  keyId,
  clientId,
  name,
  createdAt,
  ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt * 1000).toISOString() }),
  state: secondsLeft(expiresAt) > 0 ? 'valid' : 'expired',
})

/** Keys as a table for people. */
export const tableOf = (keys: StoredApiKey[]): string => {
  const rows = keys.map((key) => {
    const { keyId, clientId, name, createdAt, expiresAt = 'never' } = viewOf(key)
    return [keyId, clientId, name, minute(createdAt), minute(expiresAt), stateOf(key)]
  })
  const table = [['KEY', 'CLIENT', 'NAME', 'CREATED', 'EXPIRES', 'STATE'], ...rows]
  const widths = table[0]?.map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0))) ?? []
  return table.map((row) => `${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd()).join('\n')
}

/** Whether a key is good, and for how long: `valid`, `expired`, `expires in 24 hours`. */
export const stateOf = ({ expiresAt }: StoredApiKey): string => {
  const left = secondsLeft(expiresAt)
  if (left === Number.POSITIVE_INFINITY) return 'valid'
  if (left <= 0) return 'expired'
  const [unit, seconds] = UNITS.find(([, length]) => left >= 2 * length) ?? ['seconds', 1]
  return `expires ${inWords.format(Math.round(left / seconds), unit)}`
}

const UNITS = [
  ['days', 86_400],
  ['hours', 3600],
  ['minutes', 60],
] as const

const inWords = new Intl.RelativeTimeFormat('en')

const secondsLeft = (expiresAt = Number.POSITIVE_INFINITY): number => expiresAt - Date.now() / 1000

// 2026-11-20 13:20Z
const minute = (time: string): string => time.replace(/T(\d+:\d+):.*Z$/, ' $1Z')
