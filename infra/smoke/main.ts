import { InvalidArgumentError } from '@commander-js/extra-typings'
import { CommandError, duration, run } from '../command-line.ts'
import { type Deployment, deploymentCommand, findDeployment } from '../deployment.ts'
import { issue } from '../keys/actions.ts'
import { KeyTable } from '../keys/key-table.ts'
import { apiAt } from './check.ts'
import { runChecks } from './checks.ts'

const DESCRIPTION = `Tests a deployment: creates, lists, changes and deletes a pet, and checks error responses.
Issues an API key for itself and revokes it. The exit code is 1 if a check fails.`

const KEY_LIFETIME_SECONDS = 600

const httpAddress = (text: string): string => {
  if (URL.canParse(text) && /^https?:/.test(text)) return text.replace(/\/$/, '')
  throw new InvalidArgumentError('Use an HTTP or HTTPS address, such as https://api.example.com/v1.')
}

const command = deploymentCommand('npm run smoke --', DESCRIPTION)
  .option('--base-url <address>', 'call the API at another address, such as a new domain', httpAddress)
  .option('--wait <duration>', 'how long to wait for the API, and for lists to show the new pet', duration, 30)
  .action(async ({ baseUrl, wait, ...target }) => {
    const stopped = new AbortController()
    // A cancelled pipeline, or a reader such as `head` that closes the output, must leave neither the pet nor the key. The
    // listeners stay, because npm sends Ctrl-C twice.
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => stopped.abort(new CommandError('Stopped.')))
    process.stdout.on('error', ({ message }) => stopped.abort(new CommandError(`Cannot print: ${message}.`)))
    const deployment = await findDeployment(target)
    const passed = await smoke({ ...deployment, baseUrl: baseUrl ?? deployment.baseUrl }, wait, stopped.signal)
    if (!passed) process.exitCode = 1
  })

const smoke = async (deployment: Deployment, waitSeconds: number, stopped: AbortSignal): Promise<boolean> => {
  const { baseUrl, keyPrefix } = deployment
  const table = new KeyTable(deployment)
  const key = await issue(table, { name: 'smoke test', expiresIn: KEY_LIFETIME_SECONDS })
  console.info(`Testing ${baseUrl} with the key ${key.stored.keyId}`)
  try {
    const passed = await runChecks(apiAt(baseUrl, stopped), { key: key.text, keyPrefix, waitSeconds })
    stopped.throwIfAborted()
    return passed
  } finally {
    await table.remove(key.stored.digest)
    console.info(`The key ${key.stored.keyId} is revoked.`)
  }
}

await run(command)
