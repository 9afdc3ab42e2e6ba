import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CommandError } from '../../../infra/command-line.ts'
import { figures, machine } from './figures.ts'
import { type Run, readRun } from './run.ts'

const run: Run = { machine, figures: figures('cold', 'ms', { getPet: { load: 7 } }), reach: [] }
const json = `${JSON.stringify(run, null, 2)}\n`

const fileWith = (text: string): string => {
  const file = join(mkdtempSync(join(tmpdir(), 'run-')), 'run.json')
  writeFileSync(file, text)
  return file
}

test.each([
  ['as it is printed', json],
  ['behind what npm says first', `\n> pet-store@1.0.0 bench\n> exec node test/bench/main.ts --json\n\n${json}`],
])('reads a run %s', (_, text) => {
  expect(readRun(fileWith(text))).toEqual(run)
})

test.each(['', 'null', '{}', '{"figures":[]}', json.slice(0, -3)])('refuses what is no run: %j', (text) => {
  const file = fileWith(text)

  expect(() => readRun(file)).toThrow(
    new CommandError(`--compare: ${file} is not what "npm run -s bench -- --json" prints.`),
  )
})
