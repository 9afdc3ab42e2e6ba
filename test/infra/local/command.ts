import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type LocalServer, startServer } from '../../support/server.ts'

/** Starts the local server in a process of its own until the test ends. */
export const start = async (args: string[] = [], env: Record<string, string> = {}): Promise<LocalServer> => {
  const server = await startServer(args, env)
  onTestFinished(async () => {
    if (server.process.exitCode === null && server.process.signalCode === null) await server.stop('SIGKILL')
  })
  return server
}

/** Creates a folder that is removed when the test ends. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
