import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { command, runCommand } from '../../infra/command-line.ts'
import { environment, preparePython, processFolder, runProcess } from '../support/process.ts'

const main = command(
  'npm run lint:infra --',
  'Checks all templates with cfn-lint, and the workflows with zizmor: how they could be attacked.',
).action(async () => {
  const folder = processFolder('lint')
  const python = await preparePython('test/lint/requirements.txt', 'inherit')
  const lint = (tool: string, ...args: string[]) =>
    runProcess(join(dirname(python), tool), args, { env: environment, output: 'inherit' })

  const cdk = { CDK_OUTDIR: folder, CDK_CONTEXT_JSON: '{"aws:cdk:bundling-stacks":[]}' }
  await runProcess('node', ['infra/app.ts'], { env: { ...environment, ...cdk }, output: 'inherit' })
  const templates = [
    ...globSync(join(folder, '*.template.json')),
    ...globSync('infra/github/*.yaml'),
  ]
  // W3005: CDK adds a DependsOn for a function's role, although a reference already implies it.
  await lint('cfn-lint', '--ignore-checks', 'W3005', '--', ...templates)
  console.log(`cfn-lint finds nothing in ${templates.length} templates.`)
  if (!existsSync('.github')) return
  // What is below "medium" is taste. Offline, it does not ask GitHub about the actions.
  await lint('zizmor', '--offline', '--quiet', '--min-severity', 'medium', '.github')
  console.log('zizmor finds nothing in the workflows.')
})

await runCommand(main)
