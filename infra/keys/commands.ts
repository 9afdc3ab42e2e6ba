import { createInterface } from 'node:readline/promises'
import type { Readable } from 'node:stream'
import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { isExpired, scopesOf } from '../../shared/model/api-key.ts'
import { CommandError, explained } from '../command-line.ts'
import { type KeyRequest, type KeyTable, type NewKey, newKey, secondsAfter } from './key-table.ts'

/** The output of a command: `text` for people, `json` for scripts, and the `failure` of a command that half succeeded. */
export type Report = { text: string; json: object; failure?: Error }

/** Makes a key, stores it, and shows it. */
export const issue = async (table: KeyTable, request: KeyRequest): Promise<Report> => {
  const key = newKey(table.keyPrefix, request)
  await table.put(key.stored)
  return reportOf(key)
}

/** Lists all keys, and the items that are damaged. */
export const list = async (table: KeyTable): Promise<Report> => {
  const { keys, damaged } = await table.all()
  const ids = damaged.map(printable)
  const warnings = ids.map((id) => `\nDamaged: ${id}\nRevoke it with npm run keys -- revoke ${id}`)
  return {
    text: [keys.length > 0 ? tableOf(keys) : 'There are no keys.', ...warnings].join('\n'),
    json: [...keys.map(viewOf), ...ids.map((keyId) => ({ keyId, state: 'damaged' }))],
  }
}

/** The new key has the same scopes by default. `grace` is for how many seconds the old key stays valid. */
type RotationRequest = Pick<KeyRequest, 'scopes' | 'expiresIn'> & { grace: number }

/**
 * Issues a new key to the client of a key, then sets the expiry of the old key. In this order, the client has a valid
 * key at any moment, whatever fails. Throws a CommandError if the old key does not exist, or is revoked meanwhile.
 */
export const rotate = async (table: KeyTable, keyId: string, request: RotationRequest): Promise<Report> => {
  const old = (await table.all()).keys.find((key) => key.keyId === keyId)
  if (!old) throw unknown(keyId)
  const { name, clientId } = old
  const { grace, expiresIn, scopes = old.scopes } = request
  const fresh = newKey(table.keyPrefix, { name, clientId, expiresIn, scopes })
  await table.put(fresh.stored)
  const { text, json } = reportOf(fresh)
  try {
    const expiring = await table.expire(old, secondsAfter(new Date(), grace))
    if (expiring)
      return {
        text: `${text}\nThe previous key, ${keyId}, expires: ${expiryOf(expiring)}.`,
        json: { ...json, previous: viewOf(expiring) },
      }
  } catch (error) {
    return { text, json, failure: notExpired(keyId, error) }
  }
  // Somebody has just revoked the old key, so the client must not get a new one.
  await table.remove(fresh.stored.digest)
  throw new CommandError(`The key ${keyId} was revoked in the meantime, so no new key was issued.`)
}

/** Deletes the key with this id, or the damaged item with this digest, if the user confirms. */
export const revoke = async (table: KeyTable, id: string, isConfirmed = false): Promise<Report> => {
  const { keys, damaged } = await table.all()
  const key = keys.find(({ keyId }) => keyId === id)
  const digest = key?.digest ?? damaged.find((each) => printable(each) === id)
  if (digest === undefined) throw unknown(id)
  if (!isConfirmed) await confirm(`Revoke ${id}${key ? `, the key of ${key.clientId} (${key.name})` : ''}?`)
  await table.remove(digest)
  return {
    text: `${id} is revoked. Functions that have just used it accept it for up to one more minute.`,
    json: { keyId: id, clientId: key?.clientId, name: key?.name },
  }
}

/** Asks for confirmation on the terminal. Throws a CommandError unless the user types `y` or `yes`. */
export const confirm = async (
  question: string,
  input: Readable & { isTTY?: boolean } = process.stdin,
  output: NodeJS.WritableStream = process.stderr, // Scripts read stdout.
): Promise<void> => {
  if (!input.isTTY) throw new CommandError('There is no terminal to confirm on. Add --yes to revoke without asking.')
  output.write(`${question} [y/N] `)
  const lines = createInterface({ input })
  const { value = '' } = await lines[Symbol.asyncIterator]().next() // `question()` would not settle after Ctrl-D.
  lines.close()
  if (!/^y(es)?$/i.test(value.trim())) throw new CommandError('Nothing was revoked.')
}

const unknown = (keyId: string): CommandError =>
  new CommandError(`There is no key ${keyId} in this stage. List the keys with npm run keys -- list.`)

// The write may have succeeded although its response was lost. Either way, the client needs the new key.
const notExpired = (keyId: string, error: unknown): CommandError => {
  const { message } = Object(explained(error))
  const advice = `The new key is valid. Revoke ${keyId} when the client uses the new key.`
  return new CommandError(`The expiry of ${keyId} may not have been set: ${message} ${advice}`, { cause: error })
}

/** Shows a new key. Only this shows a key itself. */
const reportOf = ({ text, stored }: NewKey): Report => {
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

// The digest of a damaged item can be any text, which must not control the terminal.
const printable = (digest: string): string =>
  digest.replaceAll(/[^\w.-]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

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
    return [keyId, clientId, name, scopeNames(key), minuteOf(createdAt), expiryOf(key), state]
  })
  const table = [['KEY', 'CLIENT', 'NAME', 'SCOPES', 'CREATED', 'EXPIRES', 'STATE'], ...rows]
  const widths = table[0]?.map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0))) ?? []
  const lineOf = (row: string[]) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')
  return table.map((row) => lineOf(row).trimEnd()).join('\n')
}

const scopeNames = (key: StoredApiKey): string => scopesOf(key.scopes).join(' ') || 'none'

const expiryOf = (key: StoredApiKey): string => minuteOf(viewOf(key).expiresAt ?? 'never')

// 2026-11-20 13:20Z
const minuteOf = (time: string): string => time.replace(/T(\d+:\d+):.*Z$/, ' $1Z')
