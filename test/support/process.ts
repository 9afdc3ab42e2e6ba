import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CommandError } from '../../infra/command-line.ts'
import { service } from '../../shared/service.ts'

/** The whole environment of a command, and where its output goes: to ours, or to an open file. */
export type ProcessSettings = { env: NodeJS.ProcessEnv; output: 'inherit' | number }

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

/**
 * The environment of tools such as cdk: the installed commands, of which `node` is Lambda's
 * version, and a home folder.
 */
export const environment = {
  PATH: `${join(MODULES, '.bin')}:${process.env.PATH}`,
  HOME: process.env.HOME,
}

/**
 * Creates a folder for the files of this process. When the process ends, also by a signal, the
 * folder is removed, and everything that `startProcess` and `runProcess` have started is killed.
 */
export const processFolder = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `${service.name}-${name}-`))
  process.once('exit', () => {
    for (const child of running) killGroup(child)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  // A signal alone would not emit `exit`.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(1))
  return folder
}

/** Ends this process after some minutes. */
export const endAfter = (minutes: number): void => {
  const end = () => {
    console.error(`Not finished after ${minutes} minutes.`)
    process.exit(1)
  }
  setTimeout(end, minutes * 60_000).unref()
}

const running = new Set<ChildProcess>()

/** Starts a command in a process group of its own, so that everything it starts ends with it. */
export const startProcess = (
  command: string,
  args: string[],
  options: SpawnOptions,
): ChildProcess => {
  const child = spawn(command, args, { ...options, detached: true })
  running.add(child)
  child.once('exit', () => {
    running.delete(child)
    killGroup(child)
  })
  return child
}

const killGroup = ({ pid }: ChildProcess): void => {
  try {
    if (pid) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // No process of the group is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/**
 * Runs a command to its end.
 *
 * @throws CommandError when it fails
 */
export const runProcess = async (
  command: string,
  args: string[],
  { env, output }: ProcessSettings,
): Promise<void> => {
  const child = startProcess(command, args, { env, stdio: ['ignore', output, output] })
  const [code, signal] = await once(child, 'exit')
  if (code !== 0)
    throw new CommandError(`Ended with ${code ?? signal}: ${[command, ...args].join(' ')}`)
}

/**
 * Installs the packages of a folder with a lock file of its own, or changes nothing if they are.
 * They are not among the packages of the project, because nothing else needs them.
 */
export const installPackages = (folder: string): Promise<void> => {
  // No scripts: they would build an addon that the bench replaces.
  const options = '--no-save --ignore-scripts --no-audit --no-fund --silent'
  const args = ['install', '--prefix', folder, ...options.split(' ')]
  return runProcess('npm', args, { env: process.env, output: 'inherit' })
}

/**
 * Returns a Python interpreter with the packages of a requirements file. They are installed once
 * for each version of it.
 */
export const preparePython = async (
  requirements: string,
  output: ProcessSettings['output'],
): Promise<string> => {
  // The unchanged environment: it tells pip which package index to use.
  const settings = { env: process.env, output }
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
  const folder = join(MODULES, '.cache', `python-${digest}`)
  const python = join(folder, 'bin', 'python')
  const complete = join(folder, 'complete')
  if (!existsSync(complete)) {
    const install = '-m pip install --quiet --disable-pip-version-check -r'.split(' ')
    await runProcess('python3', ['-m', 'venv', '--clear', folder], settings)
    await runProcess(python, [...install, requirements], settings)
    writeFileSync(complete, '')
  }
  return python
}
