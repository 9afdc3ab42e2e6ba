import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { type LocalServer, run, startServer } from '../../support/server.ts'

/** Starts the local server in a process of its own until the test ends. */
export const start = async (args: string[] = [], env: Record<string, string> = {}): Promise<LocalServer> => {
  const server = await startServer(args, env)
  onTestFinished(() => end(server.process))
  return server
}

/** The exit code and the output of a command. */
export type Outcome = { code: number | null; stdout: string; stderr: string }

/** Runs the command behind `npm start` to its end. */
export const outcomeOf = async (args: string[], env: Record<string, string> = {}): Promise<Outcome> => {
  const child = run(args, env)
  onTestFinished(() => end(child))
  if (!child.stdout || !child.stderr) throw new Error('The command has no output.')
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, stdout, stderr }
}

/** The outcome of a command that reports an error in one line. */
export const failure = (line: string): Outcome => ({ code: 1, stdout: '', stderr: `${line}\n` })

/** Creates a folder that is removed when the test ends. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
