import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endAll } from '../support/process.ts'
import { proveDeployment } from './prove-deployment.ts'

// `npm run test:deploy`: deploys both stages to an emulated AWS, and tries what was deployed.

const MOST_MINUTES = 10
const LINES_SHOWN = 60

const folder = mkdtempSync(join(tmpdir(), 'pet-store-deploy-'))
const logFile = join(folder, 'log')

let ending = false
const end = async (code: number, message?: string): Promise<void> => {
  if (ending) return
  ending = true
  await endAll()
  if (message) console.error(`${lastLines()}${message}`)
  rmSync(folder, { recursive: true, force: true })
  process.exit(code)
}

const lastLines = (): string => readFileSync(logFile, 'utf8').split('\n').slice(-LINES_SHOWN).join('\n')

process.on('SIGINT', () => end(130))
process.on('SIGTERM', () => end(143))
process.on('SIGHUP', () => end(129))
setTimeout(() => end(1, `This was not done after ${MOST_MINUTES} minutes.`), MOST_MINUTES * 60_000)

try {
  await proveDeployment(folder, openSync(logFile, 'a'))
  await end(0)
} catch (error) {
  await end(1, error instanceof Error ? error.message : String(error))
}
