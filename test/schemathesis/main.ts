import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { command, runCommand } from '../../infra/command-line.ts'
import { openApiText } from '../../infra/openapi/document.ts'
import { entries, operationIds } from '../../shared/contract.ts'
import { partsOf } from '../../shared/pipeline/by-method.ts'
import {
  endAfter,
  environment,
  preparePython,
  processFolder,
  runProcess,
} from '../support/process.ts'
import { startServer } from '../support/server.ts'

/** The part of Schemathesis's JSON report that is read here. */
type Report = {
  complete: boolean
  operations: { tested: number }
  phases: Record<string, { status: string }>
  test_cases: { generated: number }
  /** How many valid requests were accepted, by operation and phase. */
  valid_rates: Record<string, Record<string, { accepted: number }>>
}

const PHASES = ['examples', 'coverage', 'fuzzing', 'stateful']
const LEAST_ACCEPTED = 30

/** Of these operations, there is one request only. */
const withoutInput = Object.values(entries)
  .filter((entry) => Object.values(partsOf(entry)).flat().length === 0)
  .map(({ method, path }) => `${method} ${path}`)

/** Throws if a run without findings proves too little. */
const checkCoverage = ({ complete, operations, phases, valid_rates }: Report): void => {
  assert.ok(complete, 'The run was not completed.')
  const { tested } = operations
  assert.equal(tested, operationIds.length, `Only ${tested} operations were tested.`)
  for (const phase of PHASES)
    assert.equal(phases[phase]?.status, 'success', `The phase ${phase} did not run.`)
  for (const [operation, rates] of Object.entries(valid_rates)) {
    const accepted = Object.values(rates).reduce((total, rate) => total + rate.accepted, 0)
    const least = withoutInput.includes(operation) ? 1 : LEAST_ACCEPTED
    assert.ok(accepted >= least, `${operation} accepted ${accepted} requests, fewer than ${least}.`)
  }
}

const main = command(
  'npm run test:schemathesis --',
  'Tests a local server with Schemathesis, which knows nothing but the OpenAPI document.',
).action(async () => {
  endAfter(10)
  const folder = processFolder('schemathesis')
  const python = await preparePython('test/schemathesis/requirements.txt', 'inherit')
  const [document, report] = [join(folder, 'openapi.json'), join(folder, 'report.json')]
  const { baseUrl, apiKey, stop } = await startServer()
  writeFileSync(document, openApiText([baseUrl]))
  // Without the last two, it would leave files in the repository.
  const places = {
    HYPOTHESIS_STORAGE_DIRECTORY: join(folder, 'hypothesis'),
    PYTHONDONTWRITEBYTECODE: '1',
  }
  const env = { ...environment, BASE_URL: baseUrl, API_KEY: apiKey, ...places }
  const options = ['--config-file', 'test/schemathesis/schemathesis.toml']
  const args = [...options, 'run', '--report-json-path', report, document]
  await runProcess(join(dirname(python), 'schemathesis'), args, { env, output: 'inherit' }).finally(
    () => stop(),
  )

  const result: Report = JSON.parse(readFileSync(report, 'utf8'))
  checkCoverage(result)
  console.log(`Schemathesis found nothing in ${result.test_cases.generated} test cases.`)
})

await runCommand(main)
