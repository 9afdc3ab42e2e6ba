import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { keyState, storedScopes } from '../../shared/model/api-key.ts'
import { soonEnd } from '../../shared/model/expiry.ts'
import type { NewApiKey } from './api-key-table.ts'

/**
 * What a command prints: `text` for people, or `json` for scripts. With a `problem`, which goes to
 * standard error, it fails nevertheless.
 */
export type Report = { text: string; json: object; problem?: string }

/** Shows a new key. Only this shows a key itself. */
export const newKeyReport = ({ text, stored }: NewApiKey): Report => {
  const lines = [
    `API key  ${text}`,
    `Key      ${stored.keyId}`,
    `Client   ${printable(stored.clientId)}`,
    `Name     ${printable(stored.name)}`,
    `Scopes   ${printable(scopeNames(stored))}`,
    `Expires  ${expiryOf(stored)}`,
    '',
    'Store the key now: it is not shown again.',
  ]
  return { text: lines.join('\n'), json: { key: text, ...viewOf(stored) } }
}

/** Printed whenever a key ends, because functions cache keys. */
export const LATE_END = 'Functions that have just used it accept it for up to a minute longer.'

/** Adds to the report of a new key when the previous key expires. */
export const rotationReport = ({ text, json }: Report, previous: StoredApiKey): Report => ({
  text: `${text}\nThe previous key, ${previous.keyId}, expires: ${expiryOf(previous)}. ${LATE_END}`,
  json: { ...json, previous: viewOf(previous) },
})

/** Shows keys as lines of a table. Those that end within 14 days are marked. */
export const listReport = (keys: StoredApiKey[]): Report => {
  const table = [COLUMNS, ...keys.map(cellsOf)]
  const widths = COLUMNS.map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0)))
  const lines = table.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '))
  return { text: lines.map((line) => line.trimEnd()).join('\n'), json: keys.map(viewOf) }
}

const COLUMNS = [
  'KEY',
  'CLIENT',
  'NAME',
  'SCOPES',
  'CREATED',
  'EXPIRES',
  'STATE',
  'ISSUED BY',
  'REVOKED BY',
]

/**
 * What a user sees of a key, as the service reads it: somebody may have edited the item by hand.
 * Scopes that only another version knows are shown, too. Times are ISO 8601; a damaged one is shown
 * as it is.
 */
const viewOf = ({ digest, expiresAt, ...key }: StoredApiKey) => ({
  ...key,
  scopes: storedScopes(key.scopes),
  ...(expiresAt !== undefined && { expiresAt: timeOf(expiresAt) }),
  state: keyState({ expiresAt, ...key }),
})

/** Escapes control characters, as JSON does: they could forge lines, or control the terminal. */
export const printable = (value: unknown): string =>
  String(value).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    character.split('').map(escapeUnit).join(''),
  )

const escapeUnit = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** When a key expires, to the minute. */
const expiryOf = (key: StoredApiKey): string => minuteOf(viewOf(key).expiresAt ?? 'never')

const cellsOf = (key: StoredApiKey): string[] => {
  const { keyId, clientId, name, createdAt, issuedBy = '', revokedBy = '' } = viewOf(key)
  const times = [minuteOf(`${createdAt}`), expiryOf(key), stateOf(key)]
  return [keyId, clientId, name, scopeNames(key), ...times, issuedBy, revokedBy].map(printable)
}

const stateOf = (key: StoredApiKey): string => {
  const state = keyState(key)
  return state === 'valid' && soonEnd(key.expiresAt) ? 'valid, ends soon' : state
}

const scopeNames = (key: StoredApiKey): string => viewOf(key).scopes.join(' ') || 'none'

const timeOf = (seconds: unknown): string => {
  const time = typeof seconds === 'number' ? new Date(seconds * 1000).toJSON() : undefined
  return time ?? String(seconds)
}

// 2026-11-20 13:20Z
const minuteOf = (time: string): string => time.replace(/T(\d+:\d+):.*Z$/, ' $1Z')
