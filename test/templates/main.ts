import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { environment, preparePython, run } from '../support/process.ts'

// `npm run lint:templates`: checks the templates of both stages with cfn-lint, which knows what CloudFormation takes.

// CDK makes a function depend on its role in words, where a reference to it already says so.
const IGNORED = ['W3005']

const folder = mkdtempSync(join(tmpdir(), 'pet-store-templates-'))
const synthesis = { CDK_OUTDIR: folder, CDK_CONTEXT_JSON: '{"aws:cdk:bundling-stacks":[]}' }
try {
  const python = await preparePython('test/templates/requirements.txt', 'inherit')
  await run('node', ['infra/app.ts'], { env: { ...environment, ...synthesis }, output: 'inherit' })
  const templates = globSync('*.template.json', { cwd: folder }).map((name) => join(folder, name))
  const checked = ['--ignore-checks', ...IGNORED, '--', ...templates]
  await run(join(dirname(python), 'cfn-lint'), checked, { env: environment, output: 'inherit' })
  console.log(`cfn-lint finds nothing in ${templates.length} templates.`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}
