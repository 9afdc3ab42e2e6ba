import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { leastEnvironment } from '../support/server.ts'

const runCommand = (...args: string[]) =>
  promisify(execFile)(process.execPath, ['test/load/main.ts', ...args], { env: leastEnvironment })

test('prints a refusal as one line, and ends with 1', async () => {
  const refused = await runCommand('--seconds', '0').catch((error) => error)

  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: '--seconds takes a whole number from 2 to 3600, not "0".\n',
  })
})

test('prints its help', async () => {
  const { stdout, stderr } = await runCommand('--help')

  expect(stderr).toBe('')
  expect(stdout).toContain('npm run load -- [options]')
})
