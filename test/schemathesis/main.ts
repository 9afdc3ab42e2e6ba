import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endAll } from '../support/process.ts'
import { judge } from './judge.ts'
import { shortcomingsOf } from './shortcomings.ts'

// `npm run test:schemathesis`: lets a stranger that knows nothing but the OpenAPI document judge a local server.

const MOST_MINUTES = 10

const folder = mkdtempSync(join(tmpdir(), 'pet-store-schemathesis-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

let ending = false
const end = async (code: number, message?: unknown): Promise<void> => {
  if (ending) return
  ending = true
  await endAll()
  if (message) console.error(message)
  process.exit(code) // The server ends with this process.
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end(1))
setTimeout(() => end(1, `This was not done after ${MOST_MINUTES} minutes.`), MOST_MINUTES * 60_000)

try {
  const report = await judge(folder)
  const shortcomings = shortcomingsOf(report)
  if (shortcomings.length > 0) throw new Error(shortcomings.join('\n'))
  console.log(`Schemathesis finds nothing in ${report.test_cases.generated} cases.`)
  await end(0)
} catch (error) {
  await end(1, error instanceof Error ? error.message : error)
}
