import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { standIns } from '../infra/bundle/stand-ins.ts'
import { exampleCredentials } from './support/secrets.ts'

// These only look at templates. One process for all of them loads CDK once: of 16 s, 8.
const templates = 'test/infra/stack/!(request-metrics).test.ts'

const data = fileURLToPath(new URL('../shared/data/', import.meta.url))

// The data gets the client of DynamoDB that it gets when it is bundled. (What runs in a process of its own, such as the local
// server, gets the SDK's: so each of the two is tested.)
const asBundled = {
  name: 'as-bundled',
  enforce: 'pre',
  resolveId: (name: string, importer = '') =>
    importer.startsWith(data) ? standIns[name as keyof typeof standIns] : undefined,
} as const

export default defineConfig({
  plugins: [asBundled],
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    // These only end what hangs, on a machine that is busy with other work as well. (Time is measured in one place: that
    // an outage of the database ends as a 503 within its budget.)
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Most tests wait: for processes, and for a database that is made to fail.
    maxWorkers: 4,
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/setup-worker.ts',
    // Where the API suite finds the API, if not at a local server of its own. Vite makes a "/" of BASE_URL for the tests.
    env: { API_BASE_URL: process.env.BASE_URL ?? '', ...exampleCredentials },
    projects: [
      { extends: true, test: { name: 'templates', include: [templates], isolate: false } },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [templates, 'test/browser/**', '**/node_modules/**'],
        },
      },
    ],
  },
})
