import { type Scope, scopes } from '../../shared/model/api-key.ts'
import { CommandError, readWords, secondsOf } from '../command-line.ts'
import { readTarget, type Target, targetOptions } from './deployment.ts'

/** A command on the keys of a stage. Durations are in seconds. */
export type KeyCommand = { json: boolean; target: Target } & (
  | { action: 'issue'; name: string; scopes: Scope[] | undefined; expiresIn: number | undefined }
  | { action: 'list' }
  | { action: 'rotate'; keyId: string; grace: number; expiresIn: number | undefined }
  | { action: 'revoke'; keyId: string; yes: boolean }
)

/**
 * Parses the command line.
 *
 * @throws CommandError if an argument is missing, unknown or invalid
 */
export const readCommand = (args: string[]): KeyCommand | { action: 'help' } => {
  const { values, positionals } = readWords({ args, options, allowPositionals: true }, 'npm run keys')
  if (values.help) return { action: 'help' }
  const [word, ...operands] = positionals
  const action = readAction(word)
  checkArguments(action, operands, Object.keys(values))
  const [keyId = ''] = operands
  const common = { json: values.json ?? false, target: readTarget(values) }
  const { name, scope, grace, 'expires-in': lifetime, yes = false } = values
  const expiresIn = lifetime === undefined ? undefined : secondsOf('--expires-in', lifetime)
  switch (action) {
    case 'issue':
      return { ...common, action, name: readName(name), scopes: scope && readScopes(scope), expiresIn }
    case 'list':
      return { ...common, action }
    case 'rotate':
      return { ...common, action, keyId, grace: readGrace(grace), expiresIn }
    case 'revoke':
      return { ...common, action, keyId, yes }
  }
}

export const help = `Issues, lists, rotates and revokes API keys.

  npm run keys -- issue --stage staging --name "shop front" [--scope pets:read] [--expires-in 90d]
  npm run keys -- list --stage staging
  npm run keys -- rotate <keyId> --stage staging --grace 24h [--expires-in 90d]
  npm run keys -- revoke <keyId> --stage staging [--yes]

  --stage <stage>          staging, production, or local for the local server on this machine
  --prefix <prefix>        prefix of the stack names, if several copies share an AWS account
  --base-url <address>     address of the local server, if several run  (default: the one that started last)
  --name <text>            who uses the key (1 to 100 characters)
  --scope <scope>          what the new key allows: ${scopes.join(' or ')}; repeatable (default: all)
  --expires-in <duration>  lifetime of the new key, such as 15m, 24h or 90d  (default: does not expire)
  --grace <duration>       how long the old key stays valid after rotate
  --yes                    revoke without asking for confirmation
  --json                   print JSON, for scripts
  --help                   print this help

issue and rotate print the new key once. Only its SHA-256 digest is stored.
`

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const texts = { ...text, multiple: true } as const
const ownOptions = { name: text, scope: texts, 'expires-in': text, grace: text, yes: flag, json: flag, help: flag }
const options = { ...targetOptions, ...ownOptions }

/** Whether each action needs a key id, and the options that it accepts besides the common ones. */
const accepted = {
  issue: { needsKey: false, options: ['name', 'scope', 'expires-in'] },
  list: { needsKey: false, options: [] },
  rotate: { needsKey: true, options: ['grace', 'expires-in'] },
  revoke: { needsKey: true, options: ['yes'] },
} as const satisfies Record<string, { needsKey: boolean; options: (keyof typeof ownOptions)[] }>

type Action = keyof typeof accepted

const COMMON: string[] = [...Object.keys(targetOptions), 'json']
const SEE = 'See npm run keys -- --help'

const isAction = (word: string): word is Action => Object.hasOwn(accepted, word)

const readAction = (word?: string): Action => {
  if (word !== undefined && isAction(word)) return word
  const problem = word === undefined ? 'A command is missing' : `There is no command "${word}"`
  throw new CommandError(`${problem}. Use issue, list, rotate or revoke. ${SEE}`)
}

const checkArguments = (action: Action, operands: string[], given: string[]): void => {
  const { needsKey, options } = accepted[action]
  const surplus = operands[needsKey ? 1 : 0]
  if (surplus !== undefined) throw new CommandError(`${action} does not accept "${surplus}". ${SEE}`)
  if (needsKey && !operands[0])
    throw new CommandError(`A key id is missing: ${action} <keyId>. List the keys with npm run keys -- list.`)
  const known: string[] = [...COMMON, ...options]
  const unknown = given.find((name) => !known.includes(name))
  if (unknown) throw new CommandError(`${action} does not accept --${unknown}. ${SEE}`)
}

const readScopes = (given: string[]): Scope[] => {
  const known: readonly string[] = scopes
  if (given.every((scope) => known.includes(scope))) return scopes.filter((scope) => given.includes(scope))
  throw new CommandError(`--scope must be ${scopes.join(' or ')}. It may be repeated.`)
}

const readGrace = (grace?: string): number => {
  if (grace !== undefined) return secondsOf('--grace', grace)
  throw new CommandError('--grace is missing. It says how long the old key stays valid, such as --grace 24h.')
}

// `list` prints names, so a control character would reach the operator's terminal.
const readName = (name?: string): string => {
  if (name === undefined) throw new CommandError('--name is missing. It says who uses the key.')
  if ([...name].length <= 100 && /\S/.test(name) && !/\p{C}/u.test(name)) return name
  throw new CommandError('--name must have 1 to 100 characters, not only white space, and no control characters.')
}
