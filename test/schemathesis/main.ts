import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openApiText } from '../../infra/openapi/document.ts'
import { operationIds } from '../../shared/contract.ts'
import { endAll, environment, preparePython, run } from '../support/process.ts'
import { startServer } from '../support/server.ts'

// `npm run test:schemathesis`: Schemathesis, which knows nothing but the OpenAPI document, tests a local server.

const MOST_MINUTES = 10

const folder = mkdtempSync(join(tmpdir(), 'pet-store-schemathesis-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

/** The part of Schemathesis's JSON report that is read here. */
type Report = {
  complete: boolean
  operations: { tested: number }
  phases: Record<string, { status: string }>
  test_cases: { generated: number }
  /** How many valid requests were accepted, by operation and phase. */
  valid_rates: Record<string, Record<string, { accepted: number }>>
}

const LEAST_CASES = 2000
const LEAST_ACCEPTED = 100
const PHASES = ['examples', 'coverage', 'fuzzing', 'stateful']

/** The reasons why a run without findings proves too little. */
const shortcomingsOf = ({ complete, operations, phases, test_cases, valid_rates }: Report): string[] => {
  const cases = test_cases.generated
  const skipped = PHASES.filter((phase) => phases[phase]?.status !== 'success')
  const accepted = Object.entries(valid_rates).map(([operation, rates]) => {
    const count = Object.values(rates).reduce((total, rate) => total + rate.accepted, 0)
    return { operation, count }
  })
  return [
    ...(complete ? [] : ['The run was not completed.']),
    ...(operations.tested === operationIds.length ? [] : [`Only ${operations.tested} operations were tested.`]),
    ...skipped.map((phase) => `The phase ${phase} did not run.`),
    ...(cases >= LEAST_CASES ? [] : [`There were ${cases} test cases, fewer than ${LEAST_CASES}.`]),
    ...accepted
      .filter(({ count }) => count < LEAST_ACCEPTED)
      .map(({ operation, count }) => `${operation} accepted ${count} requests, fewer than ${LEAST_ACCEPTED}.`),
  ]
}

/** Runs Schemathesis. Throws if it finds a difference between the server and the document. */
const testServer = async (): Promise<Report> => {
  const python = await preparePython('test/schemathesis/requirements.txt', 'inherit')
  const [document, report] = [join(folder, 'openapi.json'), join(folder, 'report.json')]
  writeFileSync(document, openApiText())

  const { baseUrl, apiKey, stop } = await startServer()
  // Without the last two, it would leave files in the repository.
  const places = { HYPOTHESIS_STORAGE_DIRECTORY: join(folder, 'hypothesis'), PYTHONDONTWRITEBYTECODE: '1' }
  const env = { ...environment, BASE_URL: baseUrl, API_KEY: apiKey, ...places }
  const args = ['--config-file', 'test/schemathesis/schemathesis.toml', 'run', '--report-json-path', report, document]
  await run(join(dirname(python), 'schemathesis'), args, { env, output: 'inherit' })
  await stop()
  return JSON.parse(readFileSync(report, 'utf8'))
}

let isEnding = false
const end = async (code: number, message?: unknown): Promise<void> => {
  if (isEnding) return
  isEnding = true
  await endAll()
  if (message) console.error(message)
  process.exit(code) // The server ends with this process.
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end(1))
setTimeout(() => end(1, `Not finished after ${MOST_MINUTES} minutes.`), MOST_MINUTES * 60_000)

try {
  const report = await testServer()
  const shortcomings = shortcomingsOf(report)
  if (shortcomings.length > 0) throw new Error(shortcomings.join('\n'))
  console.log(`Schemathesis found nothing in ${report.test_cases.generated} test cases.`)
  await end(0)
} catch (error) {
  await end(1, error instanceof Error ? error.message : error)
}
