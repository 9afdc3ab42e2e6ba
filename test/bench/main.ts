import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { command, run, wholeNumber } from '../../infra/command-line.ts'
import { makeBundles } from '../support/bundles.ts'
import { analyzeBundles, bundlePeers, installPeers, runtimeClient } from './bundle.ts'
import { measure } from './measure.ts'
import { type Run, report } from './report.ts'
import { subjectsOf } from './subjects.ts'

const DETAILS = `
The other functions are in test/bench/peers; their packages are installed on the first run, which takes a network. The
bench also needs openssl: DynamoDB's responses come over TLS from this machine. A wrong response of any function ends the
run, and so do more calls or capacity units than the last table allows. Times mean something only on a machine that does nothing else.

  load              until the end of Lambda's init phase, in which the functions of the service connect to DynamoDB
                    and read once; "no first read" is without that, as the other functions are
  first call        the first call after the init phase
  floor             a handler with nothing but Node.js's own HTTPS client and a signature
  calls, units      DynamoDB calls and capacity units of one warm call`

const main = command(
  'npm run bench --',
  'Measures the functions as they are deployed, in turns with other functions that do the same work.',
)
  .addHelpText('after', DETAILS)
  .option('--starts <number>', 'starts of each function, and rounds of calls', wholeNumber(1, 1000), 31)
  .option('--bundle', 'measure nothing, and print what is in each bundle')
  .action(async ({ starts, bundle }) => {
    if (bundle) return void process.stdout.write(await analyzeBundles())
    const measured = await measureAll(starts)
    process.stdout.write(report(measured))
    if (measured.reach.some(({ isExact, result }) => isExact && result !== 'reached')) process.exitCode = 1
  })

const measureAll = async (starts: number): Promise<Run> => {
  await installPeers()
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  process.env.TMPDIR = folder // For CDK's files, and whatever the functions write.
  return measure(subjectsOf(makeBundles(), await bundlePeers(folder)), { runtimeClient, starts, folder })
}

// An `exit` event removes the files and ends the functions; a signal alone would not emit it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))

await run(main)
