import { readFileSync } from 'node:fs'
import { CommandError } from '../../../infra/command-line.ts'
import type { Figure } from '../figure.ts'
import type { Machine } from '../machine.ts'
import type { Reach } from './reach.ts'

/** One run of the bench, as `--json` prints it. */
export type Run = { machine: Machine; figures: Figure[]; reach: Reach[] }

/** Reads a run that was saved. Throws a CommandError where `file` is none. */
export const readRun = (file: string): Run => {
  try {
    // Without `-s`, npm says first what it runs, in lines that start otherwise.
    const [, json = ''] = /^(\{.*)/ms.exec(readFileSync(file, 'utf8')) ?? []
    const run: Run = JSON.parse(json)
    if (Array.isArray(run.figures) && run.machine) return run
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new CommandError(`--compare: ${(error as Error).message}`)
  }
  throw new CommandError(`--compare: ${file} is not what "npm run -s bench -- --json" prints.`)
}
