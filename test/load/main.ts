import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandError, command, run, wholeNumber } from '../../infra/command-line.ts'
import { report, shortcomingsOf } from './report.ts'
import { runLoad } from './run-load.ts'

const DETAILS = `
64 connections send 80 % lists, 15 % creates and 5 % changes to a server with a data folder of its own. The exit code is 1
if

- a response is not a 2xx, or a request gets no response,
- after a restart, the server lacks a pet of a 201, has a pet twice, or has one that was never sent,
- the JavaScript heap is more than 20 % larger at the end than after the first ten seconds (or after half of a shorter
  run), both times after a garbage collection.`

const main = command(
  'npm run load --',
  'Puts the local server under load, and checks afterwards that it kept every pet.',
)
  .addHelpText('after', DETAILS)
  .option('--seconds <number>', 'duration of the load', wholeNumber(2, 3600), 60)
  .action(async ({ seconds }) => {
    const folder = mkdtempSync(join(tmpdir(), 'pet-store-load-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
    // An `exit` event removes the folder; a signal alone would not emit it.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))

    const result = await runLoad(folder, seconds)
    report(result)
    const shortcomings = shortcomingsOf(result)
    if (shortcomings.length === 0) return
    const unexpected = result.output.split('\n').filter((line) => line !== '' && !/"status":2\d\d\b/.test(line))
    throw new CommandError([...shortcomings, 'Output of the server:', ...unexpected.slice(-20)].join('\n'))
  })

await run(main)
