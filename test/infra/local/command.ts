import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { type LocalServer, run, startServer } from '../../support/server.ts'

/** Starts the local server, and ends it with the test. */
export const start = async (args: string[] = [], env: Record<string, string> = {}): Promise<LocalServer> => {
  const server = await startServer(args, env)
  onTestFinished(() => end(server.process))
  return server
}

/** What a command came to. */
export type Ended = { code: number | null; stdout: string; stderr: string }

/** Runs the command behind `npm start` to its end. */
export const outcomeOf = async (args: string[], env: Record<string, string> = {}): Promise<Ended> => {
  const child = run(args, env)
  onTestFinished(() => end(child))
  if (!child.stdout || !child.stderr) throw new Error('The command has no output.')
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, stdout, stderr }
}

/** How a command ends that says in one line what is wrong. */
export const failure = (line: string): Ended => ({ code: 1, stdout: '', stderr: `${line}\n` })

/** A new folder, which is removed with the test. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A port that somebody listens on until the test ends. */
export const takenPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return portOf(server.address())
}

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

const portOf = (address: ReturnType<ReturnType<typeof createServer>['address']>): number =>
  typeof address === 'object' && address ? address.port : 0
