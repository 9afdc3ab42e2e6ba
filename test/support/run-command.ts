import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { refuseSecrets } from './secrets.ts'
import { leastEnvironment } from './server.ts'

type Ran = { code: number; stdout: string; stderr: string }

/**
 * Starts a file of `infra`, such as `commands/keys`, as a process without a terminal. It gets `env`
 * and almost nothing of this process's environment. `exited` resolves to its exit code and its
 * output, in which secrets are refused.
 */
export const startCommand = (file: string, args: string[], env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, [`infra/${file}.ts`, ...args], {
    env: { ...leastEnvironment, HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stdout = text(child.stdout).catch(() => '') // A test may close it.
  const exited = Promise.all([once(child, 'exit'), stdout, text(child.stderr)]).then(
    ([[code], stdout, stderr]): Ran => {
      refuseSecrets(`infra/${file}.ts, stdout`, stdout)
      refuseSecrets(`infra/${file}.ts, stderr`, stderr)
      return { code, stdout, stderr: stderr.replaceAll(PROGRESS, '') }
    },
  )
  return { child, exited }
}

/** On a busy machine, a command may take long enough to show how far it is. */
const PROGRESS = /^[\d,]+ (of .+ )?[a-z]+\..*\n/gm

/** Runs a command to its end. */
export const runCommand = (...command: Parameters<typeof startCommand>): Promise<Ran> =>
  startCommand(...command).exited
