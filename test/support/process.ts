import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** What a command gets: its whole environment, and where its output goes: to ours, or to an open file. */
export type Surroundings = { env: NodeJS.ProcessEnv; output: 'inherit' | number }

const COMMANDS = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url))

/** The least that commands need. The first `node` is the one that the functions are for. */
export const environment = { PATH: `${COMMANDS}:${process.env.PATH}`, HOME: process.env.HOME }

const running = new Set<ChildProcess>()
let isOver = false

/** Starts a command in a process group of its own, so that whatever it starts in turn can be ended with it. */
export const start = (command: string, args: string[], { env, output }: Surroundings): ChildProcess => {
  if (isOver) throw new Error(`Too late to start ${command}.`)
  const child = spawn(command, args, { env, detached: true, stdio: ['ignore', output, output] })
  running.add(child)
  return child
}

/** Runs a command to its end. Throws where it fails. */
export const run = async (command: string, args: string[], surroundings: Surroundings): Promise<void> => {
  const child = start(command, args, surroundings)
  const [code, signal] = await once(child, 'exit')
  end(child)
  if (code !== 0) throw new Error(`This ended with ${code ?? signal}: ${[command, ...args].join(' ')}`)
}

/** Ends every command that was started here, and all that these started. From then on, none can be started. */
export const endAll = async (): Promise<void> => {
  isOver = true
  const open = [...running].filter(({ pid, exitCode, signalCode }) => pid && exitCode === null && signalCode === null)
  const ended = open.map((child) => once(child, 'exit'))
  for (const child of running) end(child)
  await Promise.all(ended)
}

const end = (child: ChildProcess): void => {
  running.delete(child)
  try {
    if (child.pid) process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    // No process of the group is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
