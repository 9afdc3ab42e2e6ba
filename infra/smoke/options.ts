import { CommandError, readWords } from '../command-line.ts'
import { secondsOf } from '../keys/duration.ts'
import { readTarget, type Target, targetOptions } from '../keys/target.ts'

export const help = `Checks that a deployment works: adds, reads and lists an animal, and looks at its errors.

  npm run smoke -- --stage staging

  --stage <stage>         staging, production, or local: the local server that runs on this machine
  --prefix <name prefix>  of the stacks, where several copies are in one AWS account
  --base-url <address>    of the API, where it is not the stack's own, such as a custom domain's
  --wait <duration>       for the API to answer, and for lists to show what was added    (default: 30s)
  --help                  print this

It makes an API key for itself, and revokes it. The animal stays, since no operation deletes one.
The exit code is 1 where anything is not as it must be.
`

/** What is to be checked; `baseUrl` only where it is not the deployment's own. */
export type Options = { target: Target; baseUrl: string | undefined; waitSeconds: number }

/** Reads the command line; `undefined` where it asks for help. Throws a CommandError that says what is wrong with it. */
export const readOptions = (args: string[]): Options | undefined => {
  const { help: wantsHelp, wait = '30s', 'base-url': baseUrl, ...values } = parse(args)
  if (wantsHelp) return undefined
  const waitSeconds = secondsOf('--wait', wait)
  if (baseUrl !== undefined && !(URL.canParse(baseUrl) && /^https?:/.test(baseUrl)))
    throw new CommandError('--base-url takes an address, such as https://api.example.com/v1.')
  return { target: readTarget(values), baseUrl: baseUrl?.replace(/\/$/, ''), waitSeconds }
}

const parse = (args: string[]) => {
  const text = { type: 'string' } as const
  const own = { 'base-url': text, wait: text, help: { type: 'boolean' } } as const
  return readWords({ args, options: { ...targetOptions, ...own } }, 'npm run smoke').values
}
