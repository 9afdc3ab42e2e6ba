import { createInterface } from 'node:readline/promises'
import type { Readable } from 'node:stream'
import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { CommandError, explained } from '../command-line.ts'
import { type KeyRequest, type KeyTable, type NewKey, newKey, secondsAfter } from './key-table.ts'

/** Finds a key by its id. Throws a CommandError where there is none. */
export const keyOf = async (table: KeyTable, keyId: string): Promise<StoredApiKey> => {
  const key = (await table.all()).find((each) => each.keyId === keyId)
  if (!key) throw new CommandError(`There is no key ${keyId} in this stage. List them with npm run keys -- list.`)
  return key
}

/** Issues a key. */
export const issue = async (table: KeyTable, request: KeyRequest): Promise<NewKey> => {
  const key = newKey(table.keyPrefix, request)
  await table.add(key.stored)
  return key
}

/** How a key is rotated: for how many seconds the old key stays good, and the new one. */
export type RotationRequest = { keyId: string; grace: number; expiresIn?: number | undefined }

/** What a rotation came to. With a `failure`, the new key is good, and the old one may have no end. */
export type Rotation = { fresh: NewKey; old: StoredApiKey; failure?: Error }

/**
 * Gives a client a new key, and its old one an end: in this order, so that at any moment, whatever fails, the client
 * has a key that is good.
 */
export const rotate = async (table: KeyTable, request: RotationRequest): Promise<Rotation> => {
  const { keyId, grace, expiresIn } = request
  const old = await keyOf(table, keyId)
  const fresh = await issue(table, { name: old.name, clientId: old.clientId, expiresIn })
  const ended = await table.endBy(old, secondsAfter(new Date(), grace)).catch((error) => unended(keyId, error))
  if (ended instanceof Error) return { fresh, old, failure: ended }
  if (ended) return { fresh, old: ended }
  // Whoever revoked the old key meanwhile did not mean the client to have a new one.
  await table.remove(fresh.stored)
  throw new CommandError(`The key ${keyId} was revoked meanwhile, so no new one was made.`)
}

// The end may have been stored although the answer was lost: so the new key must stay, and reach the client.
const unended = (keyId: string, error: unknown): Error => {
  const reason = explained(error)
  if (!(reason instanceof CommandError)) return new Error(`A bug: ${keyId} may not have an end.`, { cause: reason })
  const advice = `The new key is good. Revoke ${keyId} when the client has it.`
  return new CommandError(`${keyId} may not have been given an end: ${reason.message} ${advice}`)
}

/** Asks the person at the terminal a question. Throws a CommandError unless the answer is yes. */
export const confirm = async (
  question: string,
  input: Readable & { isTTY?: boolean } = process.stdin,
  output: NodeJS.WritableStream = process.stderr, // So that the output stays what a script expects.
): Promise<void> => {
  if (!input.isTTY) throw new CommandError('Nobody is there to ask. Say --yes to revoke without asking.')
  const terminal = createInterface({ input, output })
  // Ctrl-C and Ctrl-D reject the question; a terminal that goes away would leave it open for ever.
  const gone = new AbortController()
  terminal.once('close', () => gone.abort())
  const asked = terminal.question(`${question} [y/N] `, { signal: gone.signal })
  const answer = await asked.catch(() => void output.write('\n'))
  terminal.close()
  if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw new CommandError('Nothing was revoked.')
}
