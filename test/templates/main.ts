import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { environment, preparePython, run } from '../support/process.ts'

// `npm run lint:templates`: checks all templates with cfn-lint, which knows the rules of CloudFormation.

// CDK adds a DependsOn for a function's role, although a reference already implies it.
const IGNORED = ['W3005']

const folder = mkdtempSync(join(tmpdir(), 'pet-store-templates-'))
const cdk = { CDK_OUTDIR: folder, CDK_CONTEXT_JSON: '{"aws:cdk:bundling-stacks":[]}' }
try {
  const python = await preparePython('test/templates/requirements.txt', 'inherit')
  await run('node', ['infra/app.ts'], { env: { ...environment, ...cdk }, output: 'inherit' })
  const templates = [...globSync(join(folder, '*.template.json')), ...globSync('infra/github/*.yaml')]
  const args = ['--ignore-checks', ...IGNORED, '--', ...templates]
  await run(join(dirname(python), 'cfn-lint'), args, { env: environment, output: 'inherit' })
  console.log(`cfn-lint finds nothing in ${templates.length} templates.`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}
