import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The whole environment of a command, and where its output goes: to ours, or to an open file. */
export type Surroundings = { env: NodeJS.ProcessEnv; output: 'inherit' | number }

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** The least environment that commands need. Its first `node` is the version that the functions run on. */
export const environment = { PATH: `${join(MODULES, '.bin')}:${process.env.PATH}`, HOME: process.env.HOME }

const running = new Set<ChildProcess>()
let isOver = false

/** Starts a command in a process group of its own, so that everything it starts ends with it. */
export const start = (command: string, args: string[], { env, output }: Surroundings): ChildProcess => {
  if (isOver) throw new Error(`Cannot start ${command}: this run is ending.`)
  const child = spawn(command, args, { env, detached: true, stdio: ['ignore', output, output] })
  running.add(child)
  return child
}

/** Runs a command to its end. Throws if it fails. */
export const run = async (command: string, args: string[], surroundings: Surroundings): Promise<void> => {
  const child = start(command, args, surroundings)
  const [code, signal] = await once(child, 'exit')
  end(child)
  if (code !== 0) throw new Error(`Ended with ${code ?? signal}: ${[command, ...args].join(' ')}`)
}

/** Ends every command that was started here, with everything they started. No more can be started afterwards. */
export const endAll = async (): Promise<void> => {
  isOver = true
  const open = [...running].filter(({ pid, exitCode, signalCode }) => pid && exitCode === null && signalCode === null)
  const ended = open.map((child) => once(child, 'exit'))
  for (const child of running) end(child)
  await Promise.all(ended)
}

/** Returns a Python interpreter with the packages of a requirements file. They are installed once for each version of it. */
export const preparePython = async (requirements: string, output: Surroundings['output']): Promise<string> => {
  if (spawnSync('python3', ['-c', PYTHON_CHECK]).status !== 0)
    throw new Error('This needs python3, version 3.10 or later, with the modules venv and ensurepip (python3-venv).')
  // The unchanged environment: it tells pip which package index to use.
  const surroundings = { env: process.env, output }
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
  const folder = join(MODULES, '.cache', `python-${digest}`)
  const python = join(folder, 'bin', 'python')
  const complete = join(folder, 'complete')
  if (!existsSync(complete)) {
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements]
    await run('python3', ['-m', 'venv', '--clear', folder], surroundings)
    await run(python, pip, surroundings)
    writeFileSync(complete, '')
  }
  return python
}

const PYTHON_CHECK = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'

const end = (child: ChildProcess): void => {
  running.delete(child)
  try {
    if (child.pid) process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    // No process of the group is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
