import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandError } from '../../infra/command-line.ts'
import { help, readOptions } from './options.ts'
import { report } from './report.ts'
import { runLoad } from './run-load.ts'
import { shortcomingsOf } from './shortcomings.ts'

/** The command `npm run load`. */
const main = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2))
  if (!options) return void process.stdout.write(help)
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-load-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  // The servers end with this process.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))

  const run = await runLoad(folder, options.seconds)
  process.stdout.write(report(run))
  const shortcomings = shortcomingsOf(run)
  if (shortcomings.length === 0) return
  throw new CommandError([...shortcomings, 'What the server printed:', ...oddLines(run.output)].join('\n'))
}

const oddLines = (output: string): string[] =>
  output
    .split('\n')
    .filter((line) => line !== '' && !/ status: 2\d\d\b/.test(line))
    .slice(-20)

main().catch((error) => {
  process.stderr.write(error instanceof CommandError ? `${error.message}\n` : `${error?.stack}\n`)
  process.exit(1)
})
