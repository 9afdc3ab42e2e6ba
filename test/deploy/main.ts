import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { endAll, environment, preparePython, run } from '../support/process.ts'
import { cdkIn } from './cdk.ts'
import { addPet, type Deployed, expectNoPet, expectPet, expectUnauthorized, openApi } from './deployed.ts'
import { startEmulator } from './emulator.ts'
import { follow } from './runbook.ts'

// `npm run test:deploy`: deploys both stages to an emulated AWS, tests them, restores a table, deploys an update that uses it,
// and deletes production, whose tables must stay. An operator's procedures are run as infra/README.md has them.

const TIMEOUT_MINUTES = 10
const LOG_LINES_SHOWN = 60

const folder = mkdtempSync(join(tmpdir(), 'pet-store-deploy-'))
const logFile = join(folder, 'log')

const testDeployment = async (output: number): Promise<void> => {
  const python = await step('Prepare Python', () => preparePython('test/deploy/requirements.txt', output))
  const emulator = await step('Start the emulated AWS', () => startEmulator(python, folder, output))
  // The procedures use the AWS command of the emulator's Python environment.
  const env = { ...emulator.env, PATH: `${dirname(python)}:${emulator.env.PATH}` }
  const cdk = cdkIn(folder, { env, output })

  const assembly = await step('Synthesize', () => cdk.synth('infra/app.ts'))
  await step('Bootstrap', () => cdk.bootstrap(assembly))
  const outputs = await step('Deploy', () => cdk.deploy(assembly))
  const staging = await openApi('staging', emulator, outputs)
  const production = await openApi('production', emulator, outputs)

  const pets = await step('Use production', () => Promise.all([addPet(production), addPet(production)]))
  await expectUnauthorized({ ...production, apiKey: staging.apiKey })
  const args = ['infra/smoke/main.ts', '--stage', 'production', '--base-url', production.baseUrl]
  const smokeTest = () => run('node', args, { env, output: 'inherit' })
  await step('Smoke test production', smokeTest)
  await step('Run the API tests in staging', () => runApiTests(staging))

  await step('Restore the pets of production', () => follow('Restore data', { env, output }))
  const late = await addPet(production)

  const update = await step('Synthesize an update', () => cdk.synth('test/deploy/updated-app.ts'))
  await step('Deploy the update, which uses the restored table', () => cdk.deploy(update))
  await step('Read the restored pets', () => Promise.all(pets.map((pet) => expectPet(production, pet))))
  await expectNoPet(production, late)
  await step('Smoke test production, with the stock DynamoDB client', smokeTest)

  await step('Delete production', () => follow('Delete a deployment', { env, output }))
  const { PetsTable = '' } = outputs.PetStoreProduction ?? {}
  await run('aws', ['dynamodb', 'describe-table', '--table-name', PetsTable], { env, output })
}

const runApiTests = ({ baseUrl, apiKey }: Deployed): Promise<void> => {
  const args = ['run', '--config', 'test/vitest.config.ts', '--no-file-parallelism', 'test/api']
  return run('vitest', args, { env: { ...environment, BASE_URL: baseUrl, API_KEY: apiKey }, output: 'inherit' })
}

const step = async <Result>(name: string, act: () => Promise<Result>): Promise<Result> => {
  const startedAt = performance.now()
  console.log(name)
  const result = await act()
  console.log(`  ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return result
}

let isEnding = false

const end = async (code: number, message?: string): Promise<void> => {
  if (isEnding) return
  isEnding = true
  await endAll()
  if (message) console.error(readFileSync(logFile, 'utf8').split('\n').slice(-LOG_LINES_SHOWN).join('\n') + message)
  rmSync(folder, { recursive: true, force: true })
  process.exit(code)
}

for (const [signal, code] of Object.entries({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }))
  process.on(signal, () => end(code))
setTimeout(() => end(1, `The test did not end within ${TIMEOUT_MINUTES} minutes.`), TIMEOUT_MINUTES * 60_000)

try {
  await testDeployment(openSync(logFile, 'a'))
  await end(0)
} catch (error) {
  await end(1, error instanceof Error ? error.message : String(error))
}
