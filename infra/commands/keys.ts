import { Option } from '@commander-js/extra-typings'
import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { keyState, storedScopes } from '../../shared/model/api-key.ts'
import { secondsFromNow, soonEnd } from '../../shared/model/expiry.ts'
import { type Scope, scopes } from '../../shared/service.ts'
import { CommandError, duration, printable, runCommand } from '../command-line.ts'
import { ApiKeyTable, type NewApiKey } from './api-keys.ts'
import { deploymentCommand, findDeployment } from './deployment.ts'

const keys = deploymentCommand(
  'npm run keys --',
  'Issues, lists, rotates and revokes API keys.',
).configureHelp({ showGlobalOptions: true })

const scopeOption = (description: string) =>
  new Option('--scope <scope...>', description).choices([...scopes, 'all'])
const lifetimeOption = () =>
  new Option('--expires-in <duration>', 'required: the lifetime of the key, such as 90d, or never')
    .argParser((text) => (text === 'never' ? Infinity : duration(text)))
    .makeOptionMandatory()

keys
  .command('issue')
  .description('make a key, and print it: only its digest is stored')
  .requiredOption('--name <text>', 'required: who uses the key')
  .addOption(scopeOption('required: what the key allows').makeOptionMandatory())
  .addOption(lifetimeOption())
  .action(async ({ name, scope, expiresIn }) => {
    const table = await openTable()
    await printNewKey(await table.issue({ name, scopes: chosenScopes(scope), expiresIn }))
  })

keys
  .command('list')
  .description('list all keys, and mark those that end within 14 days')
  .action(async () => {
    const table = await openTable()
    console.info(keyList(await table.all()))
  })

keys
  .command('rotate <keyId>')
  .description('make a new key for the client of a key, and let the old one expire')
  .requiredOption('--grace <duration>', 'required: how long the old key stays valid', duration)
  .addOption(scopeOption('what the new key allows besides'))
  .addOption(lifetimeOption())
  .action(async (keyId, { grace, scope = [], expiresIn }) => {
    const rotation = { grace, scopes: chosenScopes(scope), expiresIn }
    const { key, previous } = await rotate(await openTable(), keyId, rotation)
    await printNewKey(key)
    console.info(`The previous key expires. ${LATE_END}\n${keyList([previous])}`)
  })

keys
  .command('revoke <keyId>')
  .description('make a key invalid')
  .action(async (keyId) => {
    const table = await openTable()
    const key = await findKey(table, keyId)
    await table.revoke(key)
    const owner = printable(`${key.clientId} (${key.name})`)
    console.info(`${keyId}, the key of ${owner}, is revoked. ${LATE_END}`)
  })

/** Printed whenever a key ends, because functions cache keys. */
const LATE_END = 'Functions that have just used it accept it for up to a minute longer.'

const openTable = async () => new ApiKeyTable(await findDeployment(keys.opts()))

const chosenScopes = (chosen: readonly (Scope | 'all')[]): Scope[] =>
  scopes.filter((scope) => chosen.includes('all') || chosen.includes(scope))

/** Scopes are added. The old key is valid for `grace` more seconds, or until it expires. */
type Rotation = { grace: number; scopes: readonly Scope[]; expiresIn: number }

/**
 * Issues a new key to the client of a key, and lets the old one expire. Throws a CommandError if
 * the old key does not exist or is revoked.
 */
export const rotate = async (
  table: ApiKeyTable,
  id: string,
  { grace, scopes: added, expiresIn }: Rotation,
): Promise<{ key: NewApiKey; previous: StoredApiKey }> => {
  const old = await findKey(table, id)
  const { clientId, name, expiresAt = Infinity } = old
  const scopes = [...new Set([...storedScopes(old.scopes), ...added])]
  const end = Math.min(expiresAt, secondsFromNow(grace))
  const key = await table.issue({ clientId, name, scopes, expiresIn }, { old, end })
  return { key, previous: { ...old, expiresAt: end } }
}

/** Finds a key by its id. Throws a CommandError if there is none, or if it is revoked. */
export const findKey = async (table: ApiKeyTable, id: string): Promise<StoredApiKey> => {
  const found = (await table.all()).find(({ keyId }) => keyId === id)
  if (!found) throw new CommandError('There is no such key in this stage.')
  if (found.revokedBy) throw new CommandError(`${id} was revoked by ${found.revokedBy}.`)
  return found
}

/** Prints a new key: only this shows a key itself. Throws a CommandError if it cannot. */
const printNewKey = async ({ text, stored }: NewApiKey): Promise<void> => {
  const lines = `Store the key now: it is not shown again.\nAPI key  ${text}\n${keyList([stored])}\n`
  const error = await new Promise((resolve) => process.stdout.write(lines, resolve))
  if (error)
    throw new CommandError(`The key ${stored.keyId} is stored, but cannot be shown. Revoke it.`)
}

const COLUMNS = 'KEY,CLIENT,NAME,SCOPES,CREATED,EXPIRES,STATE,ISSUED BY,REVOKED BY'.split(',')

/** A table of keys. Those that end within 14 days are marked. */
export const keyList = (stored: StoredApiKey[]): string => {
  const table = [COLUMNS, ...stored.map((key) => cellsOf(key).map(printable))]
  const widths = COLUMNS.map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0)))
  const lines = table.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '))
  return lines.map((line) => line.trimEnd()).join('\n')
}

/**
 * What a user sees of a key, as the service reads it: somebody may have edited the item by hand.
 * Scopes that only another version knows are shown, too.
 */
const cellsOf = (key: StoredApiKey): unknown[] => {
  const state = keyState(key)
  return [
    key.keyId,
    key.clientId,
    key.name,
    storedScopes(key.scopes).join(' ') || 'none',
    key.createdAt,
    key.expiresAt === undefined ? 'never' : isoTime(key.expiresAt),
    state === 'valid' && soonEnd(key.expiresAt) ? 'valid, ends soon' : state,
    key.issuedBy ?? '',
    key.revokedBy ?? '',
  ]
}

/** A time in seconds since 1970 as ISO 8601, or a damaged one as it is. */
const isoTime = (seconds: number): unknown => new Date(seconds * 1000).toJSON() ?? seconds

if (import.meta.main) await runCommand(keys)
