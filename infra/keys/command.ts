import { CommandError } from '../command-line.ts'
import { secondsOf } from './duration.ts'
import { readOptions } from './options.ts'
import { readTarget, type Target } from './target.ts'

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
