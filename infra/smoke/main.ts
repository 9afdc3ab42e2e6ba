import { CommandError, explained, fail, readWords, secondsOf } from '../command-line.ts'
import { issue } from '../keys/actions.ts'
import { type Deployment, findDeployment, readTarget, type Target, targetOptions } from '../keys/deployment.ts'
import { KeyTable, type NewKey } from '../keys/key-table.ts'
import { apiAt } from './check.ts'
import { runChecks } from './checks.ts'

const KEY_LIVES_SECONDS = 600

/** The command `npm run smoke`. */
const main = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2))
  if (!options) return void process.stdout.write(help)
  const stopped = new AbortController()
  // A pipeline that is cancelled must not leave the key behind. The listeners stay, since npm sends Ctrl-C twice.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.abort())
  if (!(await smoke(await findDeployment(options.target), options, stopped.signal))) process.exitCode = 1
}

const smoke = async (deployment: Deployment, options: Options, stopped: AbortSignal): Promise<boolean> => {
  const { baseUrl = deployment.baseUrl, waitSeconds } = options
  const table = new KeyTable(deployment)
  const key = await issue(table, { name: 'smoke test', expiresIn: KEY_LIVES_SECONDS })
  console.info(`${baseUrl}, with the key ${key.stored.keyId}`)
  try {
    return await runChecks(apiAt(baseUrl, stopped), { key: key.text, keyPrefix: deployment.keyPrefix, waitSeconds })
  } finally {
    await revoke(table, key)
  }
}

const revoke = async (table: KeyTable, { stored }: NewKey): Promise<void> => {
  await table.remove(stored).catch((error) => {
    const reason = explained(error)
    if (!(reason instanceof CommandError)) throw reason
    throw new CommandError(`The key ${stored.keyId} is not revoked, and expires in ten minutes: ${reason.message}`)
  })
  console.info(`The key ${stored.keyId} is revoked.`)
}

export const help = `Checks that a deployment works: adds, reads and lists a pet, and looks at its errors.

  npm run smoke -- --stage staging

  --stage <stage>         staging, production, or local: the local server that runs on this machine
  --prefix <name prefix>  of the stacks, where several copies are in one AWS account
  --base-url <address>    of the API, where it is not the stack's own, such as a custom domain's
  --wait <duration>       for the API to answer, and for lists to show what was added    (default: 30s)
  --help                  print this

It makes an API key for itself, and revokes it. The pet stays, since no operation deletes one.
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

main().catch(fail)
