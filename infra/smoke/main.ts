import { CommandError } from '../command-line.ts'
import { issue } from '../keys/actions.ts'
import { type Deployment, findDeployment } from '../keys/deployment.ts'
import { explained, fail } from '../keys/failure.ts'
import { KeyTable } from '../keys/key-table.ts'
import type { NewKey } from '../keys/new-key.ts'
import { apiAt } from './api.ts'
import { help, type Options, readOptions } from './options.ts'
import { runChecks } from './run-checks.ts'

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

main().catch(fail)
