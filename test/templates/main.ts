import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { command, run as runCommand } from '../../infra/commands/command-line.ts'
import { environment, preparePython, processFolder, run } from '../support/process.ts'

// CDK adds a DependsOn for a function's role, although a reference already implies it.
const IGNORED = ['W3005']

const main = command(
  'npm run lint:templates --',
  'Checks all templates with cfn-lint, which knows the rules of CloudFormation.',
).action(async () => {
  const folder = processFolder('templates')
  const python = await preparePython('test/templates/requirements.txt', 'inherit')
  const cdk = { CDK_OUTDIR: folder, CDK_CONTEXT_JSON: '{"aws:cdk:bundling-stacks":[]}' }
  await run('node', ['infra/app.ts'], { env: { ...environment, ...cdk }, output: 'inherit' })
  const templates = [...globSync(join(folder, '*.template.json')), ...globSync('infra/github/*.yaml')]
  const args = ['--ignore-checks', ...IGNORED, '--', ...templates]
  await run(join(dirname(python), 'cfn-lint'), args, { env: environment, output: 'inherit' })
  console.log(`cfn-lint finds nothing in ${templates.length} templates.`)
})

await runCommand(main)
