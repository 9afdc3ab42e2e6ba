import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { service } from '../../shared/service.ts'
import { exampleCredentials } from './secrets.ts'
import { startServer } from './server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The base address of the API under test, without a slash at the end, a key for it, and the
     * file of its log.
     */
    api: { baseUrl: string; apiKey: string; log?: string }
  }
}

let stop: (() => Promise<unknown>) | undefined
const folder = mkdtempSync(join(tmpdir(), `${service.name}-api-`))

/**
 * Provides the API for all tests that only call one: the API at `BASE_URL` with the key `API_KEY`,
 * both from the command line; otherwise one local server.
 */
export const setup = async ({ provide }: TestProject): Promise<void> => {
  const { BASE_URL, API_KEY } = process.env
  if (BASE_URL && !API_KEY)
    throw new Error('BASE_URL is set, but API_KEY is not. Set it to a key of that API.')
  if (BASE_URL && API_KEY)
    return provide('api', { baseUrl: BASE_URL.replace(/\/$/, ''), apiKey: API_KEY })
  const { baseUrl, apiKey, ...server } = await startServer(['--empty'], exampleCredentials)
  stop = server.stop
  const log = join(folder, 'log')
  server.process.stderr?.on('data', (chunk) => appendFileSync(log, chunk))
  provide('api', { baseUrl, apiKey, log })
}

/** Stops the local server. */
export const teardown = async (): Promise<void> => {
  await stop?.()
  rmSync(folder, { recursive: true })
}
