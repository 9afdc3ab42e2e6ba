import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandError } from '../../infra/command-line.ts'
import type { Figure } from './figure.ts'
import { thisMachine } from './machine.ts'
import { help, type Options, readOptions } from './options.ts'
import { parts, sheets } from './parts.ts'
import { comparison } from './report/comparison.ts'
import { reachOf } from './report/reach.ts'
import { report } from './report/report.ts'
import { type Run, readRun } from './report/run.ts'

/** The command `npm run bench`. */
const main = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2))
  if (!options) return void process.stdout.write(help)
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  process.env.TMPDIR = folder // All that is written from here on goes there, whoever writes it.
  process.stdout.write(await outputOf(options))
}

const outputOf = async (options: Options): Promise<string> => {
  const told = await Promise.all(options.sheets.map((name) => sheets[name]?.()))
  if (told.length > 0) return told.join('\n')
  const saved = options.compare === undefined ? undefined : readRun(options.compare)
  const figures = await measure(options)
  const run: Run = { machine: thisMachine(), figures, reach: reachOf(figures) }
  if (options.json) return `${JSON.stringify(run, null, 2)}\n`
  return saved ? comparison(saved, run) : report(run)
}

const measure = async (options: Options): Promise<Figure[]> => {
  const figures: Figure[] = []
  for (const name of options.parts) {
    process.stderr.write(`Measuring: ${name} …\n`)
    figures.push(...(await parts[name](options)))
  }
  return figures
}

// Whatever a part has started ends with this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))

main().catch((error) => {
  process.stderr.write(error instanceof CommandError ? `${error.message}\n` : `${error?.stack}\n`)
  process.exit(1)
})
