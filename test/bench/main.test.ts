import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { leastEnvironment } from '../support/server.ts'

const runCommand = (...args: string[]) =>
  promisify(execFile)(process.execPath, ['test/bench/main.ts', ...args], { env: leastEnvironment })

test.each([
  ['is not there', 'nowhere.json', "ENOENT: no such file or directory, open 'nowhere.json'"],
  ['is something else', 'package.json', 'package.json is not what "npm run -s bench -- --json" prints.'],
  ['is no JSON', 'README.md', 'README.md is not what "npm run -s bench -- --json" prints.'],
])('measures nothing where the run to compare with %s', async (_, file, message) => {
  const refused = await runCommand('--compare', file).catch((error) => error)

  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: `--compare: ${message}\n` })
})

test('prints its help', async () => {
  const { stdout, stderr } = await runCommand('--help')

  expect(stderr).toBe('')
  expect(stdout).toContain('npm run bench -- [parts] [options]')
})

test('leaves nothing behind when it is ended', async () => {
  const TMPDIR = mkdtempSync(join(tmpdir(), 'bench-'))
  const bench = spawn(process.execPath, ['test/bench/main.ts', 'data'], { env: { ...leastEnvironment, TMPDIR } })
  await once(bench.stderr, 'data')
  bench.kill('SIGTERM')
  const [code] = await once(bench, 'exit')

  expect(code).toBe(1)
  expect(readdirSync(TMPDIR)).toEqual([])
})
