import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandError, fail, readWords } from '../../infra/command-line.ts'
import { report, shortcomingsOf } from './report.ts'
import { runLoad } from './run-load.ts'

const HELP = `Puts the local server under load, and checks afterwards that it kept every pet.

  npm run load -- [options]

  --seconds <number>  duration of the load, 2 to 3600      (default: 60)
  --help              print this help

64 connections send 80 % lists, 15 % creates and 5 % reads to a server with a data folder of its own. The exit code is 1
if

- a response is not a 2xx, or a request gets no response,
- after a restart, the server lacks a pet of a 201, has a pet twice, or has one that was never sent,
- the JavaScript heap is more than 20 % larger at the end than after the first ten seconds (or after half of a shorter
  run), both times after a garbage collection,
- the resident memory of the process grows as much. This is checked only if there were 3,000 responses by then: after
  fewer, the process has not reached its working size.
`

const options = { seconds: { type: 'string', default: '60' }, help: { type: 'boolean' } } as const

const main = async (): Promise<void> => {
  const { seconds, help } = readWords({ options }, 'npm run load').values
  if (help) return void process.stdout.write(HELP)
  if (!/^\d{1,4}$/.test(seconds) || Number(seconds) < 2 || Number(seconds) > 3600)
    throw new CommandError(`--seconds must be a whole number from 2 to 3600, not "${seconds}".`)
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-load-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  // `startServer` ends its servers when this process exits.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))

  const run = await runLoad(folder, Number(seconds))
  process.stdout.write(report(run))
  const shortcomings = shortcomingsOf(run)
  if (shortcomings.length === 0) return
  const unexpected = run.output.split('\n').filter((line) => line !== '' && !/"status":2\d\d\b/.test(line))
  throw new CommandError([...shortcomings, 'Output of the server:', ...unexpected.slice(-20)].join('\n'))
}

main().catch(fail)
