import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { command, runCommand } from '../../infra/command-line.ts'
import { stackName, stages } from '../../infra/stages.ts'
import { tableIds, tableOutput } from '../../shared/data/tables.ts'
import {
  endAfter,
  environment,
  preparePython,
  processFolder,
  runProcess,
} from '../support/process.ts'
import { cdkIn, type Outputs } from './cdk.ts'
import { type Deployed, deployedApi } from './deployed-api.ts'
import { type Emulator, startEmulator, startProxy } from './emulator.ts'

const SUFFIX = '-restored-20261120T120000Z' // Of restored tables.

const stacks = { staging: stackName(stages.staging), production: stackName(stages.production) }

const testDeployment = async (): Promise<void> => {
  endAfter(10)
  const folder = processFolder('deploy')
  const logFile = join(folder, 'log')
  const output = openSync(logFile, 'a')
  process.prependOnceListener('exit', (code) => {
    if (code !== 0) console.error(readFileSync(logFile, 'utf8').split('\n').slice(-60).join('\n'))
  })

  const python = await step('Prepare Python', () =>
    preparePython('test/deploy/requirements.txt', output),
  )
  const emulator = await step('Start the emulated AWS', () => startEmulator(python, folder, output))
  // The procedures use the AWS command of the emulator's Python environment, and this variable.
  const env = {
    ...emulator.env,
    PATH: `${dirname(python)}:${emulator.env.PATH}`,
    stack: stacks.production,
    stage: 'production',
    days: '35',
    protection: '--deletion-protection-enabled',
    time: '2026-11-20T12:00:00Z', // The emulator restores what is there.
  }
  const node = (args: string) => runProcess('node', args.split(' '), { env, output: 'inherit' })
  const cdk = cdkIn(folder, { env, output })
  const bash = (commands: string, variables?: object) =>
    runProcess('bash', ['-euo', 'pipefail', '-c', commands], {
      env: { ...env, ...variables },
      output,
    })
  const follow = (heading: string, blocks = [0], variables = {}) =>
    bash(blocksOf(heading, blocks), variables)

  const assembly = await step('Synthesize', () => cdk.synth('infra/app.ts'))
  await step('Check the engine', () => node('test/engine/main.ts'))
  await step('Bootstrap', () => cdk.bootstrap(assembly))
  const outputs = await step('Deploy', () => cdk.deploy(assembly))
  const staging = await openApi('staging', emulator, outputs)
  const production = await openApi('production', emulator, outputs)

  const api = deployedApi(production)
  const early = await step('Use production', () => api.create('early'))
  await deployedApi({ ...production, apiKey: staging.apiKey }).list(401)
  const smokeTest = () =>
    node(`infra/commands/smoke.ts --stage production --base-url ${production.baseUrl}`)
  await step('Smoke test production', smokeTest)
  await step('Run the API tests in staging', () => runApiTests(staging))

  const named = (start: string) =>
    `$(aws lambda list-functions --output text --query "Functions[?starts_with(FunctionName, '$stack-${start}')].FunctionName")`
  await step('Set aliases that point elsewhere', async () => {
    const forEachAlias = (command: string) =>
      bash(`for function in ${named('')}; do ${command}; done`)
    const alias = '--name live --function-name $function'
    await forEachAlias(`aws lambda update-alias ${alias} --function-version '$LATEST'`)
    await follow('A failed deployment is stuck')
    await forEachAlias(`[[ $(aws lambda get-alias ${alias} --query FunctionVersion) != *LATEST* ]]`)
  })

  await step('Stop writes', async () => {
    const [reader, writer] = ['listPets', 'createPet'].map(
      (id) =>
        `$(aws lambda get-function-concurrency --output text --function-name ${named(`${id}F`)})`,
    )
    await follow('Stop writes', [0])
    await bash(`[[ "${reader}, ${writer}" == ', 0' ]]`)
    await follow('Stop writes', [1])
    await bash(`[[ "${reader}, ${writer}" == ', ' ]]`)
  })
  // The marked blocks of the section.
  const [choose, restore, undelete, ...prepare] = [0, 1, 2, 3, 4]
  await step('Restore the tables of production', () =>
    // The second time, because a procedure may fail in the middle.
    follow('Restore data', [choose, restore, restore, ...prepare, ...prepare]),
  )
  const adopt = Object.fromEntries(
    tableIds
      .filter((id) => id !== 'apiKeys')
      .map((id) => [id, [`${outputs[stacks.production]?.[tableOutput(id)]}${SUFFIX}`]]),
  )
  const [restored = ''] = adopt.pets ?? []
  const apiKeys = outputs[stacks.production]?.ApiKeysTable
  // Restored keys would not know of their revocation.
  await bash(`! aws dynamodb describe-table --table-name ${apiKeys}${SUFFIX}`)
  const late = await api.create('late')

  await step('Bring one pet back', async () => {
    const lost = await api.create('lost')
    const pets = outputs[stacks.production]?.PetsTable
    const item = `--table-name ${pets} --key 'id={N=${lost.id}}'`
    const [copy, put, remove] = [0, 1, 2].map((i) => blocksOf('Bring one pet back', [i]))
    const commands = [
      copy,
      `aws dynamodb delete-item ${item}`,
      put,
      `! { ${put}}`, // The pet exists again.
      answeringYes(`${remove}`),
    ]
    await bash(commands.join('\n'), { pet: `${lost.id}` })
    await api.change(lost.id, { name: 'Max' })
    await bash(`aws dynamodb delete-item ${item}`)
  })

  const update = await step('Synthesize an update', () =>
    cdk.synth('test/deploy/updated-app.ts', `adopt=${JSON.stringify(adopt)}`),
  )
  await step('Deploy the update, which uses the restored tables', () => cdk.deploy(update))
  assert.deepEqual(await step('Retry a restored request', () => api.create('early')), early)
  assert.deepEqual(await api.listAvailable(), [early])
  assert.deepEqual(await api.change(early.id, { name: 'Max' }), { ...early, name: 'Max' })
  // Neither of the two tables has the later request.
  assert.notEqual((await api.create('late')).id, late.id)
  await step('Smoke test production, with the stock DynamoDB client', smokeTest)
  const old = `--table-name ${restored} --key '{"id": {"N": "${early.id}"}}'`
  await bash(`aws dynamodb update-item ${old} --update-expression 'REMOVE statusShard'`)
  assert.equal((await api.listAvailable()).length, 1)
  const rewrite = 'infra/commands/rewrite.ts --stage production --collection pets'
  await step('Rewrite an item of an earlier version', () => node(rewrite))
  assert.equal((await api.listAvailable()).length, 2)
  await step('Add an index to the restored table', () =>
    follow('Add an index to an adopted table', [0], { table: restored }),
  )
  const item = '{"id": {"N": "1"}, "nameShard": {"S": "Rex#0"}}'
  await bash(`aws dynamodb put-item --table-name ${restored} --item '${item}'`)
  const condition = `--key-condition-expression 'nameShard = :name' --expression-attribute-values '{":name": {"S": "Rex#0"}}'`
  const query = `aws dynamodb query --table-name ${restored} --index-name byName ${condition} --query Count`
  const checkIndex = () => bash(`[[ $(${query}) == 1 ]]`)
  await checkIndex()
  const items = await api.list()
  await step('Restore a deleted table', async () => {
    // DynamoDB makes a backup of a deleted table by itself, unlike the emulated AWS.
    const steps = [
      'create-backup --backup-name old',
      'update-table --no-deletion-protection-enabled',
      'delete-table',
    ]
    for (const each of steps) await bash(`aws dynamodb ${each} --table-name ${restored}`)
    await follow('Restore data', [undelete, ...prepare], { tables: restored })
  })
  assert.deepEqual(await api.list(), items)
  await checkIndex()

  await step('Delete production', async () => {
    const unprotect = 'update-termination-protection --no-enable-termination-protection'
    await bash(`aws cloudformation ${unprotect} --stack-name $stack`)
    await bash(answeringYes(blocksOf('Delete a deployment', [0])))
  })
  await bash(`aws dynamodb describe-table --table-name ${apiKeys}`)
}

/** Gives the API of a stage an origin of its own, and issues a key with the operators' command. */
const openApi = async (
  stage: keyof typeof stacks,
  { address, env }: Emulator,
  outputs: Outputs,
): Promise<Deployed> => {
  const { hostname, pathname } = new URL(outputs[stacks[stage]]?.BaseUrl ?? '')
  const origin = await startProxy(`${address}/_aws/execute-api/${hostname.split('.')[0]}`, 'http')
  const args = `infra/commands/keys.ts issue --stage ${stage} --name test --scope all --expires-in 1d`
  const { stdout } = await promisify(execFile)('node', args.split(' '), { env })
  const [, apiKey = ''] = /^API key {2}(\S+)$/m.exec(stdout) ?? []
  return { baseUrl: origin + pathname, apiKey }
}

const runApiTests = ({ baseUrl, apiKey }: Deployed): Promise<void> => {
  const args = ['run', '--config', 'test/vitest.config.ts', '--no-file-parallelism', 'test/api']
  return runProcess('vitest', args, {
    env: { ...environment, BASE_URL: baseUrl, API_KEY: apiKey },
    output: 'inherit',
  })
}

/** Some of the blocks that are marked in a section of `infra/OPERATE.md`, as an operator pastes them. */
const blocksOf = (heading: string, indexes: number[]): string => {
  const [, after = ''] = readFileSync('infra/OPERATE.md', 'utf8').split(`\n### ${heading}\n`)
  const [section = ''] = after.split('\n##')
  const blocks = [...section.matchAll(/^● .*?^```sh\n(.*?)^```$/gms)].map(
    ([, commands]) => commands,
  )
  const chosen = indexes.map((index) => blocks[index])
  if (chosen.includes(undefined))
    throw new Error(`infra/OPERATE.md has too few marked blocks under "${heading}".`)
  return chosen.join('')
}

/** Commands that ask first, in a shell that has pasted the variables of "Procedures". */
const answeringYes = (commands: string): string => {
  const [ask = ''] = /^ask\(\).*$/m.exec(readFileSync('infra/OPERATE.md', 'utf8')) ?? []
  return `${ask}\n{ ${commands}} <<< yes`
}

const step = async <Result>(name: string, act: () => Promise<Result>): Promise<Result> => {
  const startedAt = performance.now()
  console.log(name)
  const result = await act()
  console.log(`  ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return result
}

await runCommand(
  command(
    'npm run test:deploy --',
    'Deploys the service to an emulated AWS, and follows the procedures of infra/OPERATE.md.',
  ).action(testDeployment),
)
process.exit() // The emulated AWS and the proxies are still running.
