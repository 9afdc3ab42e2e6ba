import { CommandError, readWords, secondsOf } from '../command-line.ts'
import { readTarget, type Target, targetOptions } from './deployment.ts'

/** What the command line asks for. Time spans are in seconds. */
export type Command = { action: 'help' } | ({ json: boolean; target: Target } & Work)

type Work =
  | { action: 'issue'; name: string; expiresIn: number | undefined }
  | { action: 'list' }
  | { action: 'rotate'; keyId: string; grace: number; expiresIn: number | undefined }
  | { action: 'revoke'; keyId: string; yes: boolean }

/** Reads the command line. Throws a CommandError that says what is wrong with it. */
export const readCommand = (args: string[]): Command => {
  const { action, operand: keyId = '', values } = readOptions(args)
  if (action === 'help') return { action }
  const common = { json: values.json ?? false, target: readTarget(values) }
  const { name, grace, 'expires-in': lifetime, yes = false } = values
  const expiresIn = lifetime === undefined ? undefined : secondsOf('--expires-in', lifetime)
  switch (action) {
    case 'issue':
      return { ...common, action, name: checkName(name), expiresIn }
    case 'list':
      return { ...common, action }
    case 'rotate':
      return { ...common, action, keyId, grace: readGrace(grace), expiresIn }
    case 'revoke':
      return { ...common, action, keyId, yes }
  }
}

const readGrace = (grace?: string): number => {
  if (grace !== undefined) return secondsOf('--grace', grace)
  throw new CommandError('Say how long the old key stays good with --grace, such as --grace 24h.')
}

// A control character would reach the terminal of whoever lists the keys.
const checkName = (name?: string): string => {
  if (name === undefined) throw new CommandError('Say whom the key is for with --name.')
  if ([...name].length <= 100 && /\S/.test(name) && !/\p{C}/u.test(name)) return name
  throw new CommandError('--name takes 1 to 100 characters, not only white space, and no control characters.')
}

export const help = `Issues, lists, rotates and revokes API keys.

  npm run keys -- issue --stage staging --name "shop front" [--expires-in 90d]
  npm run keys -- list --stage staging
  npm run keys -- rotate <keyId> --stage staging --grace 24h [--expires-in 90d]
  npm run keys -- revoke <keyId> --stage staging [--yes]

  --stage <stage>          staging, production, or local: the local server that runs on this machine
  --prefix <name prefix>   of the stacks, where several copies are in one AWS account
  --name <text>            whom the key is for, in 1 to 100 characters
  --expires-in <duration>  how long the new key is good: 30s, 15m, 24h, 90d    (default: until it is revoked)
  --grace <duration>       how long the old key stays good beside the new one
  --yes                    revoke without asking
  --json                   print JSON, for scripts
  --help                   print this

The key itself is printed once, when it is issued or rotated; what is stored of it is a digest.
`

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const own = { name: text, 'expires-in': text, grace: text, yes: flag, json: flag, help: flag }

/** What each action takes, besides what all of them do. */
const takes = {
  issue: { operand: undefined, options: ['name', 'expires-in'] },
  list: { operand: undefined, options: [] },
  rotate: { operand: 'keyId', options: ['grace', 'expires-in'] },
  revoke: { operand: 'keyId', options: ['yes'] },
} as const satisfies Record<string, { operand: string | undefined; options: (keyof typeof own)[] }>

type Action = keyof typeof takes

/** The words of the command line, of which each is known and in its place. Throws a CommandError otherwise. */
export const readOptions = (args: string[]) => {
  const { values, positionals } = parse(args)
  const [action, operand, ...others] = positionals
  if (values.help) return { action: 'help', values } as const
  if (action === undefined) throw new CommandError(`Say what to do: ${CHOICE}. ${SEE}`)
  if (!isAction(action)) throw new CommandError(`There is no command "${action}". Take ${CHOICE}. ${SEE}`)
  check(action, [operand, ...others], Object.keys(values))
  return { action, operand: operand ?? '', values }
}

const SEE = 'See npm run keys -- --help'
const CHOICE = 'issue, list, rotate or revoke'
const COMMON: string[] = [...Object.keys(targetOptions), 'json']

const parse = (args: string[]) =>
  readWords({ args, options: { ...targetOptions, ...own }, allowPositionals: true }, 'npm run keys')

const isAction = (name: string): name is Action => Object.hasOwn(takes, name)

const check = (action: Action, operands: (string | undefined)[], given: string[]): void => {
  const { operand, options } = takes[action]
  const [first, surplus = operand ? undefined : first] = operands
  if (surplus !== undefined) throw new CommandError(`${action} does not take "${surplus}". ${SEE}`)
  if (operand && !first) throw new CommandError(`Say which key: ${action} <${operand}>. List them with list.`)
  const known: string[] = [...COMMON, ...options]
  const unknown = given.find((name) => !known.includes(name))
  if (unknown) throw new CommandError(`${action} does not take --${unknown}. ${SEE}`)
}
