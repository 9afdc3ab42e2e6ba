import type { TestProject } from 'vitest/node'
import { exampleCredentials } from './secrets.ts'
import { startServer } from './server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The base address of the API under test, without a slash at the end, and a key for it. */
    api: { baseUrl: string; apiKey: string }
  }
}

let stop: (() => Promise<unknown>) | undefined

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
  server.process.stderr?.pipe(process.stderr) // The reason for a 500.
  provide('api', { baseUrl, apiKey })
}

/** Stops the local server. */
export const teardown = (): Promise<unknown> | undefined => stop?.()
