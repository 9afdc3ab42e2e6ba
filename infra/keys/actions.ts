import { createInterface } from 'node:readline/promises'
import type { Readable } from 'node:stream'
import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import type { Scope } from '../../shared/model/api-key.ts'
import { CommandError, explained } from '../command-line.ts'
import { type KeyRequest, type KeyTable, type NewKey, newKey, secondsAfter } from './key-table.ts'
import { printable, type Report, revoked } from './report.ts'

/**
 * Makes a key and stores it.
 *
 * @throws CommandError that names the key if it may have been stored although there was no response
 */
export const issue = async (table: KeyTable, request: KeyRequest): Promise<NewKey> => {
  const key = newKey(table.keyPrefix, request)
  await table.add(key.stored).catch((error) => {
    const reason = explained(error)
    if (!(reason instanceof CommandError) || !mayBeStored(error)) throw reason
    throw new CommandError(`${reason.message} The key may have been stored. ${revokeIt(key.stored.keyId)}`)
  })
  return key
}

/** What to do with a key that nobody has seen. */
export const revokeIt = (keyId: string): string => `Revoke it with npm run keys -- revoke ${keyId}.`

/**
 * `grace` is for how many seconds the old key stays valid, `expiresIn` the lifetime of the new key in seconds, `scopes`
 * what the new key allows (default: the same).
 */
type RotationRequest = { grace: number; expiresIn?: number | undefined; scopes?: readonly Scope[] | undefined }

/** With a `failure`, the new key is valid, but the old key may not have got its expiry. */
type Rotation = { fresh: NewKey; old: StoredApiKey; failure?: Error }

/**
 * Issues a new key to the client of a key, then sets the expiry of the old key. In this order, the client has a valid key
 * at any moment, whatever fails.
 *
 * @throws CommandError if the old key does not exist, or is revoked at the same time
 */
export const rotate = async (table: KeyTable, keyId: string, request: RotationRequest): Promise<Rotation> => {
  const old = (await table.all()).keys.find((key) => key.keyId === keyId)
  if (!old) throw unknown(keyId)
  const { name, clientId } = old
  const { grace, expiresIn, scopes = old.scopes } = request
  const fresh = await issue(table, { name, clientId, expiresIn, scopes })
  const expiring = await table.expire(old, secondsAfter(new Date(), grace)).catch((error) => notExpired(keyId, error))
  if (expiring instanceof Error) return { fresh, old, failure: expiring }
  if (expiring) return { fresh, old: expiring }
  // Somebody has just revoked the old key, so the client must not get a new one.
  await table.remove(fresh.stored.digest)
  throw new CommandError(`The key ${keyId} was revoked in the meantime, so no new key was issued.`)
}

/**
 * Deletes the key with this id, or the damaged item with this digest.
 *
 * @throws CommandError if it does not exist, or the user does not confirm
 */
export const revoke = async (table: KeyTable, id: string, isConfirmed = false): Promise<Report> => {
  const { keys, damaged } = await table.all()
  const key = keys.find(({ keyId }) => keyId === id)
  const digest = key?.digest ?? damaged.find((each) => printable(each) === id)
  if (digest === undefined) throw unknown(id)
  if (!isConfirmed)
    await confirm(`Revoke ${id}${key ? `, the key of ${printable(`${key.clientId} (${key.name})`)}` : ''}?`)
  await table.remove(digest)
  return revoked(id, key)
}

/**
 * Asks for confirmation on the terminal.
 *
 * @throws CommandError unless the user types `y` or `yes`
 */
export const confirm = async (
  question: string,
  input: Readable & { isTTY?: boolean } = process.stdin,
  output: NodeJS.WritableStream = process.stderr, // Scripts read stdout.
): Promise<void> => {
  if (!input.isTTY) throw new CommandError('There is no terminal to confirm on. Add --yes to revoke without asking.')
  const terminal = createInterface({ input, output })
  // Ctrl-C and Ctrl-D reject the question. A terminal that is closed would leave it pending forever.
  const closed = new AbortController()
  terminal.once('close', () => closed.abort())
  const answer = await terminal
    .question(`${question} [y/N] `, { signal: closed.signal })
    .catch(() => void output.write('\n'))
  terminal.close()
  if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw new CommandError('Nothing was revoked.')
}

const unknown = (keyId: string): CommandError =>
  new CommandError(`There is no key ${printable(keyId)} in this stage. List the keys with npm run keys -- list.`)

// Unless AWS refused the request. Without metadata, it was not sent.
const mayBeStored = (error: object): boolean =>
  '$metadata' in error && !('$fault' in error && error.$fault === 'client')

// The write may have succeeded although its response was lost. Either way, the client needs the new key.
const notExpired = (keyId: string, error: unknown): Error => {
  const reason = explained(error)
  const problem = `The expiry of ${keyId} may not have been set`
  if (!(reason instanceof CommandError)) return new Error(`${problem}.`, { cause: reason })
  const advice = `The new key is valid. Revoke ${keyId} when the client uses the new key.`
  return new CommandError(`${problem}: ${reason.message} ${advice}`)
}
