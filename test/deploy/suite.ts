import { environment, run } from '../support/process.ts'
import type { Deployed } from './deployed.ts'

/** Runs the API suite against a deployed API. Throws where it fails. */
export const runSuite = async ({ baseUrl, apiKey }: Deployed): Promise<void> => {
  const suite = ['run', '--config', 'test/vitest.config.ts', '--no-file-parallelism', 'test/api']
  await run('vitest', suite, {
    env: { ...environment, BASE_URL: baseUrl, API_KEY: apiKey },
    output: 'inherit',
  })
}
