import { createInterface } from 'node:readline/promises'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { StoredApiKey } from '../../shared/data/api-keys.ts'
import { digestOf, storedScopes } from '../../shared/model/api-key.ts'
import { secondsFromNow } from '../../shared/model/expiry.ts'
import { type Scope, scopes } from '../../shared/service.ts'
import { CommandError, duration, explain, isRefused, run } from '../command-line.ts'
import {
  type ApiKeyRequest,
  ApiKeyTable,
  generateApiKey,
  type Lifetime,
  type NewApiKey,
} from './api-key-table.ts'
import { deploymentCommand, findDeployment } from './deployment.ts'
import {
  LATE_END,
  listReport,
  newKeyReport,
  printable,
  type Report,
  rotationReport,
} from './key-report.ts'

const keys = deploymentCommand('npm run keys --', 'Issues, lists, rotates and revokes API keys.')
  .configureHelp({ showGlobalOptions: true })
  .option('--json', 'print JSON; with npm run -s, nothing else is printed')

const clientName = (text: string): string => {
  if ([...text].length <= 100 && /\S/.test(text) && printable(text) === text) return text
  throw new InvalidArgumentError(
    'Use 1 to 100 characters, not only white space, and no control characters.',
  )
}
const scopeOption = (description: string) =>
  new Option('--scope <scope...>', description).choices([...scopes, 'all'])
const lifetimeOption = (description: string) =>
  new Option('--expires-in <duration>', description).argParser(
    (text): Lifetime => (text === 'never' ? text : duration(text)),
  )

keys
  .command('issue')
  .description('make a key, and print it: only its digest is stored')
  .requiredOption('--name <text>', 'required: who uses the key', clientName)
  .addOption(scopeOption('required: what the key allows'))
  .addOption(lifetimeOption('required: lifetime of the key, such as 90d, or never'))
  .action(({ name, scope, expiresIn }) => {
    if (!scope || !expiresIn) throw new CommandError(NOT_CHOSEN)
    return carryOut((table) => issue(table, { name, scopes: chosenScopes(scope), expiresIn }))
  })

keys
  .command('list')
  .description('list all keys, and mark those that end within 14 days')
  .action(() => carryOut(list))

keys
  .command('rotate <keyId>')
  .description('make a new key for the client of a key, and let the old one expire; - as in revoke')
  .requiredOption('--grace <duration>', 'required: how long the old key stays valid', duration)
  .addOption(scopeOption('what the new key allows besides; for less, issue another key'))
  .addOption(
    lifetimeOption(
      'lifetime of the new key, such as 90d, or never; required if the old key expires',
    ),
  )
  .action((keyId, { scope = [], ...request }) =>
    carryOut((table) => rotate(table, keyId, { ...request, scopes: chosenScopes(scope) })),
  )

keys
  .command('revoke <keyId>')
  .description(
    'make a key invalid; for the id -, read the key itself from standard input, and do not ask',
  )
  .option('--yes', 'do not ask for confirmation')
  .action((keyId, { yes }) => carryOut((table) => revoke(table, keyId, yes ? undefined : confirm)))

// In one sentence: commander would ask for one option after the other.
const NOT_CHOSEN =
  'Choose what the key allows and when it ends: ' +
  `--scope ${scopes[0]} or --scope all, and --expires-in 90d or --expires-in never.`

const chosenScopes = (chosen: readonly (Scope | 'all')[]): Scope[] =>
  scopes.filter((scope) => chosen.includes('all') || chosen.includes(scope))

const carryOut = async (action: (table: ApiKeyTable) => Promise<Report>): Promise<void> => {
  const options = keys.opts()
  const table = new ApiKeyTable(await findDeployment(options))
  const { text, json, problem } = await action(table)
  const lines = JSON.stringify(json, null, 2).split('\n').map(printable)
  process.stdout.write(`${options.json ? lines.join('\n') : text}\n`)
  if (problem) throw new CommandError(problem)
}

/**
 * Makes a key, stores it, and shows it. Throws a CommandError that names the key if it may be
 * stored although DynamoDB did not confirm it: then nobody has seen it.
 */
export const issue = async (table: ApiKeyTable, request: ApiKeyRequest): Promise<Report> =>
  newKeyReport(await storeNewKey(table, request))

/** Shows all keys, the oldest first. */
export const list = async (table: ApiKeyTable): Promise<Report> => listReport(await table.all())

/** Scopes are added. The old key is valid for `grace` more seconds, or until it expires. */
type RotationRequest = Partial<Pick<ApiKeyRequest, 'scopes' | 'expiresIn'>> & { grace: number }

/**
 * Issues a new key to the client of a key, then lets the old one expire: at any moment, one is
 * valid. Reports a problem if the expiry may not be set. Throws a CommandError if the old key does
 * not exist, expires while `request` has no lifetime, or is revoked meanwhile.
 */
export const rotate = async (
  table: ApiKeyTable,
  id: string,
  request: RotationRequest,
): Promise<Report> => {
  const old = await find(table, id)
  const successor = await storeNewKey(table, successorRequest(old, request))
  const report = newKeyReport(successor)
  let expiring: StoredApiKey | undefined
  try {
    expiring = await table.expire(old, secondsFromNow(request.grace))
  } catch (error) {
    return { ...report, problem: expiryProblem(old, error) }
  }
  if (expiring) return rotationReport(report, expiring)
  // The client must not get a new key.
  await table.remove(successor.stored.digest)
  throw new CommandError(
    `The key ${old.keyId} was revoked in the meantime, so no new key was issued.`,
  )
}

/** Makes a key invalid, once `confirm` resolves. Whoever passes the key itself is not asked. */
export const revoke = async (
  table: ApiKeyTable,
  id: string,
  confirm?: (question: string) => Promise<void>,
): Promise<Report> => {
  const key = await find(table, id)
  const { keyId, clientId, name } = key
  if (id !== '-') await confirm?.(printable(`Revoke ${keyId}, the key of ${clientId} (${name})?`))
  await table.revoke(key)
  return {
    text: `${keyId} is revoked. ${LATE_END}`,
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

const storeNewKey = async (table: ApiKeyTable, request: ApiKeyRequest): Promise<NewApiKey> => {
  const key = generateApiKey(table.issuer, request)
  try {
    await table.put(key.stored)
    return key
  } catch (error) {
    if (isRefused(error)) throw error
    const { keyId } = key.stored
    throw new CommandError(
      `${explain(error).message} The key ${keyId} may have been stored. Nobody has seen it: ` +
        'revoke it if npm run keys -- list shows it.',
      { cause: error },
    )
  }
}

// By its id, or for `-` by the key itself: on the command line, the shell would record it.
const find = async (table: ApiKeyTable, id: string): Promise<StoredApiKey> => {
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

const successorRequest = (
  { keyId, clientId, name, expiresAt, ...old }: StoredApiKey,
  { expiresIn, scopes: added = [] }: RotationRequest,
): ApiKeyRequest => {
  // An earlier rotation may have shortened its life.
  if (expiresAt !== undefined && expiresIn === undefined)
    throw new CommandError(
      `${keyId} expires. Set the lifetime of the new key: --expires-in 90d, or never.`,
    )
  const scopes = [...new Set([...storedScopes(old.scopes), ...added])]
  return { clientId, name, scopes, expiresIn: expiresIn ?? 'never' }
}

// The client needs the new key, whatever became of the old one.
const expiryProblem = ({ keyId }: StoredApiKey, error: unknown): string =>
  `The expiry of ${keyId} may not have been set: ${explain(error).message} ` +
  `The new key is valid. Revoke ${keyId} when the client uses the new key.`

if (import.meta.main) await run(keys)
