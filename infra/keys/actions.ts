import { createInterface } from 'node:readline/promises'
import type { Readable } from 'node:stream'
import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { CommandError, explained } from '../command-line.ts'
import type { KeyCommand } from './command.ts'
import { type KeyRequest, type KeyTable, type NewKey, newKey, secondsAfter } from './key-table.ts'
import { issued, listed, printable, type Report, revoked, rotated } from './report.ts'

/**
 * Carries out a command on the keys of a stage.
 *
 * @throws CommandError if the key does not exist or the user does not confirm
 */
export const carryOut = async (table: KeyTable, command: KeyCommand): Promise<Report> => {
  switch (command.action) {
    case 'issue':
      return issued(await issue(table, command))
    case 'list':
      return listed(await table.all())
    case 'rotate': {
      const { fresh, old, failure } = await rotate(table, command)
      return { ...rotated(fresh, old), failure }
    }
    case 'revoke': {
      const key = await find(table, command.keyId)
      if (!command.yes) await confirm(`Revoke ${key.keyId}, the key of ${key.clientId} (${printable(key.name)})?`)
      await table.remove(key)
      return revoked(key)
    }
  }
}

/**
 * Makes a key and stores it.
 *
 * @throws CommandError that names the key if it may have been stored although there was no response
 */
export const issue = async (table: KeyTable, request: KeyRequest): Promise<NewKey> => {
  const key = newKey(table.keyPrefix, request)
  await table.add(key.stored).catch((error) => {
    const reason = explained(error)
    if (!(reason instanceof CommandError) || !('$metadata' in error) || error.$fault === 'client') throw reason
    throw new CommandError(`${reason.message} The key may have been stored. ${revokeIt(key.stored.keyId)}`)
  })
  return key
}

/** What to do with a key that nobody has seen. */
export const revokeIt = (keyId: string): string => `Revoke it with npm run keys -- revoke ${keyId}.`

/** `grace` is for how many seconds the old key stays valid, `expiresIn` the lifetime of the new key in seconds. */
type RotationRequest = { keyId: string; grace: number; expiresIn?: number | undefined }

/** With a `failure`, the new key is valid, but the old key may not have got its expiry. */
type Rotation = { fresh: NewKey; old: StoredApiKey; failure?: Error }

/**
 * Issues a new key to the client of a key, with the same scopes, then sets the expiry of the old key. In this order, the
 * client has a valid key at any moment, whatever fails.
 *
 * @throws CommandError if the old key does not exist, or is revoked at the same time
 */
export const rotate = async (table: KeyTable, { keyId, grace, expiresIn }: RotationRequest): Promise<Rotation> => {
  const old = await find(table, keyId)
  const { name, clientId, scopes } = old
  const fresh = await issue(table, { name, clientId, scopes, expiresIn })
  const expiring = await table.expire(old, secondsAfter(new Date(), grace)).catch((error) => notExpired(keyId, error))
  if (expiring instanceof Error) return { fresh, old, failure: expiring }
  if (expiring) return { fresh, old: expiring }
  // Somebody has just revoked the old key, so the client must not get a new one.
  await table.remove(fresh.stored)
  throw new CommandError(`The key ${keyId} was revoked in the meantime, so no new key was issued.`)
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

const find = async (table: KeyTable, keyId: string): Promise<StoredApiKey> => {
  const key = (await table.all()).find((each) => each.keyId === keyId)
  if (!key) throw new CommandError(`There is no key ${keyId} in this stage. List the keys with npm run keys -- list.`)
  return key
}

// The write may have succeeded although its response was lost. Either way, the client needs the new key.
const notExpired = (keyId: string, error: unknown): Error => {
  const reason = explained(error)
  const problem = `The expiry of ${keyId} may not have been set`
  if (!(reason instanceof CommandError)) return new Error(`${problem}.`, { cause: reason })
  const advice = `The new key is valid. Revoke ${keyId} when the client uses the new key.`
  return new CommandError(`${problem}: ${reason.message} ${advice}`)
}
