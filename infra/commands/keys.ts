import { createInterface } from 'node:readline/promises'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { digestOf, scopesOf } from '../../shared/model/api-key.ts'
import { secondsFromNow } from '../../shared/model/expiry.ts'
import { scopes } from '../../shared/service.ts'
import { CommandError, duration, explained, run } from '../command-line.ts'
import { deploymentCommand, findDeployment } from './deployment.ts'
import { expiryOf, listReport, newKeyReport, type Report, viewOf } from './key-report.ts'
import { type KeyRequest, KeyTable, newKey } from './key-table.ts'

const keys = deploymentCommand('npm run keys --', 'Issues, lists, rotates and revokes API keys.')
  .configureHelp({ showGlobalOptions: true })
  .option('--json', 'print JSON; with npm run -s, nothing else is printed')

// Control characters could forge lines of a list, or control the terminal.
const clientName = (text: string): string => {
  if ([...text].length <= 100 && /\S/.test(text) && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text)) return text
  throw new InvalidArgumentError(
    'Use 1 to 100 characters, not only white space, and no control characters.',
  )
}
const scope = new Option('--scope <scope...>', 'what the new key allows').choices(scopes)
const lifetime = 'lifetime of the new key, such as 90d; required to rotate a key that expires'
const expiresIn = new Option('--expires-in <duration>', lifetime).argParser(duration)

keys
  .command('issue')
  .description('make a key, and print it: only its digest is stored')
  .requiredOption('--name <text>', 'required: who uses the key', clientName)
  .addOption(scope)
  .addOption(expiresIn)
  .action(({ scope, ...request }) =>
    carryOut((table) => issue(table, { ...request, scopes: scope })),
  )

keys
  .command('list')
  .description('list all keys')
  .action(() => carryOut(list))

keys
  .command('rotate <keyId>')
  .description('make a new key for the client of a key, and let the old one expire; - as in revoke')
  .requiredOption('--grace <duration>', 'required: how long the old key stays valid', duration)
  .addOption(scope)
  .addOption(expiresIn)
  .action((keyId, { scope, ...request }) =>
    carryOut((table) => rotate(table, keyId, { ...request, scopes: scope })),
  )

keys
  .command('revoke <keyId>')
  .description(
    'make a key invalid; for the id -, read the key itself from standard input, and do not ask',
  )
  .option('--yes', 'do not ask for confirmation')
  .action((keyId, { yes }) => carryOut((table) => revoke(table, keyId, yes ? undefined : confirm)))

/** A `failure` is that of a command that half succeeded. */
type KeyOutcome = Report & { failure?: Error }

const carryOut = async (action: (table: KeyTable) => Promise<KeyOutcome>): Promise<void> => {
  const options = keys.opts()
  const { text, json, failure } = await action(new KeyTable(await findDeployment(options)))
  process.stdout.write(`${options.json ? JSON.stringify(json, null, 2) : text}\n`)
  if (failure) throw failure
}

/** Makes a key, stores it, and shows it. */
export const issue = async (table: KeyTable, request: KeyRequest): Promise<Report> => {
  const key = newKey(table.deployment, request)
  await table.put(key.stored)
  return newKeyReport(key)
}

/** Lists all keys. */
export const list = async (table: KeyTable): Promise<Report> => listReport(await table.all())

/** By default, scopes stay. The old key is valid for `grace` more seconds, or until it expires. */
type RotationRequest = Pick<KeyRequest, 'scopes' | 'expiresIn'> & { grace: number }

/**
 * Issues a new key to the client of a key, then lets the old one expire: at any moment, one is
 * valid. Throws a CommandError if the old key does not exist, expires while `request` has no
 * lifetime, or is revoked meanwhile.
 */
export const rotate = async (
  table: KeyTable,
  id: string,
  request: RotationRequest,
): Promise<KeyOutcome> => {
  const old = await find(table, id)
  const fresh = newKey(table.deployment, successorOf(old, request))
  await table.put(fresh.stored)
  const { text, json } = newKeyReport(fresh)
  const expiry = await expire(table, old, request.grace)
  switch (expiry.outcome) {
    case 'expires': {
      const line = `The previous key, ${old.keyId}, expires: ${expiryOf(expiry.key)}.`
      return { text: `${text}\n${line}`, json: { ...json, previous: viewOf(expiry.key) } }
    }
    case 'revoked':
      // The client must not get a new key.
      await table.remove(fresh.stored.digest)
      throw new CommandError(
        `The key ${old.keyId} was revoked in the meantime, so no new key was issued.`,
      )
    case 'unknown':
      return { text, json, failure: notExpired(old.keyId, expiry.cause) }
  }
}

/** Makes a key invalid, once `confirm` resolves. Who sends the key itself is not asked. */
export const revoke = async (
  table: KeyTable,
  id: string,
  confirm?: (question: string) => Promise<void>,
): Promise<Report> => {
  const key = await find(table, id)
  const { keyId, clientId, name } = key
  if (id !== '-') await confirm?.(`Revoke ${keyId}, the key of ${clientId} (${name})?`)
  await table.revoke(key)
  return {
    text: `${keyId} is revoked. Functions that have just used it accept it for up to a minute.`,
    json: { keyId, clientId, name },
  }
}

/** Asks on the terminal. Throws a CommandError unless `y` or `yes` is typed. */
export const confirm = async (
  question: string,
  input: Readable & { isTTY?: boolean } = process.stdin,
  output: NodeJS.WritableStream = process.stderr, // Scripts read stdout.
): Promise<void> => {
  if (!input.isTTY) throw new CommandError('There is no terminal to confirm on. Add --yes.')
  output.write(`${question} [y/N] `)
  const lines = createInterface({ input })
  // `question()` would not settle after Ctrl-D.
  const { value = '' } = await lines[Symbol.asyncIterator]().next()
  lines.close()
  if (!/^y(es)?$/i.test(value.trim())) throw new CommandError('Nothing was revoked.')
}

// By its id, or for `-` by the key itself, which the history of the shell must not get.
const find = async (table: KeyTable, id: string): Promise<StoredApiKey> => {
  const digest = id === '-' && digestOf((await text(process.stdin)).trim())
  const found = (await table.all()).find((key) =>
    digest ? key.digest === digest : key.keyId === id,
  )
  if (found?.revokedBy) throw new CommandError(`${found.keyId} was revoked by ${found.revokedBy}.`)
  if (found) return found
  throw new CommandError(
    'There is no such key in this stage. List the keys with npm run keys -- list.',
  )
}

const successorOf = (
  { keyId, clientId, name, expiresAt, ...old }: StoredApiKey,
  { expiresIn, scopes = scopesOf(old.scopes) }: RotationRequest,
): KeyRequest => {
  // An earlier rotation may have shortened its life.
  if (expiresAt !== undefined && expiresIn === undefined)
    throw new CommandError(`${keyId} expires. Set the lifetime of the new key with --expires-in.`)
  return { clientId, name, scopes, expiresIn }
}

/** What became of a key that should expire. If it is unknown, the write may have succeeded. */
type Expiry =
  | { outcome: 'expires'; key: StoredApiKey }
  | { outcome: 'revoked' }
  | { outcome: 'unknown'; cause: Error }

const expire = async (table: KeyTable, old: StoredApiKey, grace: number): Promise<Expiry> => {
  try {
    const key = await table.expire(old, secondsFromNow(grace))
    return key ? { outcome: 'expires', key } : { outcome: 'revoked' }
  } catch (error) {
    return { outcome: 'unknown', cause: explained(error) }
  }
}

// The client needs the new key, whatever became of the old one.
const notExpired = (keyId: string, cause: Error): CommandError => {
  const advice = `The new key is valid. Revoke ${keyId} when the client uses the new key.`
  return new CommandError(
    `The expiry of ${keyId} may not have been set: ${cause.message} ${advice}`,
    { cause },
  )
}

if (import.meta.main) await run(keys)
