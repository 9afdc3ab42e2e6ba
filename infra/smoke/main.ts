import { CommandError, explained, fail, readWords, secondsOf } from '../command-line.ts'
import { issue } from '../keys/actions.ts'
import { type Deployment, findDeployment, readTarget, type Target, targetOptions } from '../keys/deployment.ts'
import { KeyTable, type NewKey } from '../keys/key-table.ts'
import { apiAt } from './check.ts'
import { runChecks } from './checks.ts'

const KEY_LIFETIME_SECONDS = 600

/** The command `npm run smoke`. */
const main = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2))
  if (!options) return void process.stdout.write(help)
  const stopped = new AbortController()
  // A cancelled pipeline, or a reader such as `head` that closes the output, must leave neither the pet nor the key. The
  // listeners stay, because npm sends Ctrl-C twice.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => stopped.abort(new CommandError('Stopped.')))
  process.stdout.on('error', ({ message }) => stopped.abort(new CommandError(`Cannot print: ${message}.`)))
  if (!(await smoke(await findDeployment(options.target), options, stopped.signal))) process.exitCode = 1
}

/** `baseUrl` is set only if the command line names another address than the deployment's. */
type Options = { target: Target; baseUrl: string | undefined; waitSeconds: number }

/**
 * Parses the command line. Returns `undefined` if it asks for help.
 *
 * @throws CommandError if an argument is missing, unknown or invalid
 */
export const readOptions = (args: string[]): Options | undefined => {
  const { help: wantsHelp, wait = '30s', 'base-url': baseUrl, ...values } = parse(args)
  if (wantsHelp) return undefined
  const waitSeconds = secondsOf('--wait', wait)
  if (baseUrl !== undefined && !(URL.canParse(baseUrl) && /^https?:/.test(baseUrl)))
    throw new CommandError('--base-url must be an HTTP or HTTPS address, such as https://api.example.com/v1.')
  return { target: readTarget(values), baseUrl: baseUrl?.replace(/\/$/, ''), waitSeconds }
}

const parse = (args: string[]) => {
  const text = { type: 'string' } as const
  const own = { 'base-url': text, wait: text, help: { type: 'boolean' } } as const
  return readWords({ args, options: { ...targetOptions, ...own } }, 'npm run smoke').values
}

const help = `Tests a deployment: creates, reads, lists, changes and deletes a pet, and checks error responses.

  npm run smoke -- --stage staging

  --stage <stage>       staging, production, or local for the local server on this machine
  --prefix <prefix>     prefix of the stack names, if several copies share an AWS account
  --base-url <address>  another address of the API, such as a new domain   (default: the stack's BaseUrl)
  --wait <duration>     how long to wait for the API to respond, and for lists to show the new pet
                        (default: 30s)
  --help                print this help

The command issues an API key for itself and revokes it.
The exit code is 1 if a check fails.
`

const smoke = async (deployment: Deployment, options: Options, stopped: AbortSignal): Promise<boolean> => {
  const { baseUrl = deployment.baseUrl, waitSeconds } = options
  const table = new KeyTable(deployment)
  const key = await issue(table, { name: 'smoke test', expiresIn: KEY_LIFETIME_SECONDS })
  console.info(`Testing ${baseUrl} with the key ${key.stored.keyId}`)
  try {
    const settings = { key: key.text, keyPrefix: deployment.keyPrefix, waitSeconds }
    const passed = await runChecks(apiAt(baseUrl, stopped), settings)
    stopped.throwIfAborted()
    return passed
  } finally {
    await revoke(table, key)
  }
}

const revoke = async (table: KeyTable, { stored }: NewKey): Promise<void> => {
  await table.remove(stored).catch((error) => {
    const reason = explained(error)
    if (!(reason instanceof CommandError)) throw reason
    throw new CommandError(`The key ${stored.keyId} was not revoked. It expires in ten minutes. ${reason.message}`)
  })
  console.info(`The key ${stored.keyId} is revoked.`)
}

if (import.meta.main) main().catch(fail)
