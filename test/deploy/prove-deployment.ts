import { environment, preparePython, run, type Surroundings } from '../support/process.ts'
import { environmentOf, newCredentials, REGION } from './account.ts'
import { cdkIn } from './cdk.ts'
import { addPet, expectPet, expectRefusal } from './deployed.ts'
import { startEmulator } from './emulator.ts'
import { startFront } from './front.ts'
import { openApi } from './open-api.ts'
import { runSuite } from './suite.ts'

/**
 * Deploys both stages to an emulated AWS, tries them, deploys a change, and looks whether their data is still there.
 * `folder` takes all files; `output` is the open file for what the commands print. Throws where anything fails.
 */
export const proveDeployment = async (folder: string, output: Surroundings['output']): Promise<void> => {
  const credentials = newCredentials()
  const python = await step('Prepare Python', () => preparePython('test/deploy/requirements.txt', output))
  const emulator = await step('Start the emulated AWS', () => startEmulator(python, folder, { credentials, output }))
  // The CDK's bucket refuses whoever does not come by TLS.
  const account = { endpoint: await startFront(emulator, 'https'), region: REGION, credentials }
  const env = { ...environment, ...environmentOf(account), CDK_HOME: folder }
  const cdk = cdkIn(folder, { env, output })

  const first = await step('Synthesize', () => cdk.synth('infra/app.ts'))
  await step('Bootstrap', () => cdk.bootstrap(first))
  const at = { emulator, env, outputs: await step('Deploy', () => cdk.deploy(first)) }
  const staging = await openApi('staging', at)
  const production = await openApi('production', at)

  const pets = await step('Use production', () => Promise.all([addPet(production), addPet(production)]))
  await expectRefusal({ ...production, apiKey: staging.apiKey })
  const smoke = ['infra/smoke/main.ts', '--stage', 'production', '--base-url', production.baseUrl]
  await step('Smoke', () => run('node', smoke, { env, output: 'inherit' }))
  await step('Run the API suite in staging', () => runSuite(staging))

  const next = await step('Synthesize an update', () => cdk.synth('test/deploy/updated.ts'))
  await step('Deploy the update', () => cdk.deploy(next))
  await step('Read everything back', () => Promise.all(pets.map((pet) => expectPet(production, pet))))
}

const step = async <Result>(name: string, act: () => Promise<Result>): Promise<Result> => {
  const startedAt = performance.now()
  console.log(name)
  const result = await act()
  console.log(`  ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return result
}
