import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run, type Surroundings } from './process.ts'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))
const CHECK = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'

/** A Python that has what a file of requirements lists, in an environment that is made once for each state of it. */
export const preparePython = async (requirements: string, output: Surroundings['output']): Promise<string> => {
  if (spawnSync('python3', ['-c', CHECK]).status !== 0)
    throw new Error('This needs python3, version 3.10 or later, with its modules venv and ensurepip (python3-venv).')
  // The environment as it is: it tells pip where this machine gets its packages.
  const surroundings = { env: process.env, output }
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
  const folder = join(CACHE, `python-${digest}`)
  const python = join(folder, 'bin', 'python')
  const complete = join(folder, 'complete')
  if (!existsSync(complete)) {
    await run('python3', ['-m', 'venv', '--clear', folder], surroundings)
    await run(
      python,
      ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements],
      surroundings,
    )
    writeFileSync(complete, '')
  }
  return python
}
