import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { leastEnvironment } from '../../support/server.ts'

/** What a command printed, and its exit code. */
export type Ran = { code: number; stdout: string; stderr: string }

/** Runs a command of `infra` in a process that has nothing of this one's environment but its PATH, and no terminal. */
export const runCommand = async (command: 'keys' | 'smoke', args: string[], env: Record<string, string> = {}) => {
  const { exited } = startCommand(command, args, env)
  return exited
}

/** The same, for a command that is to be stopped. */
export const startCommand = (command: 'keys' | 'smoke', args: string[], env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, [`infra/${command}/main.ts`, ...args], {
    env: { ...leastEnvironment, HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]): Ran => ({ code, stdout, stderr }),
  )
  return { child, exited }
}

/** What a command prints that fails as it should: one line, no stack. */
export const failure = (line: string): Ran => ({ code: 1, stdout: '', stderr: `${line}\n` })
