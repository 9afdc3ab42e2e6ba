import { mkdtempSync, symlinkSync } from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { replacements } from '../infra/packages/lean-dynamodb/index.ts'
import { exampleCredentials } from './support/secrets.ts'

// What the shell has set for AWS and for git must reach neither tests nor the processes that they
// start: a git hook sets GIT_DIR, which even `git init` in a temporary folder uses. With
// NODE_USE_ENV_PROXY, requests to this machine would go to a proxy.
for (const name of Object.keys(process.env))
  if (/^(AWS_|GIT_|NODE_USE_ENV_PROXY$)/.test(name)) delete process.env[name]

const checkout = fileURLToPath(new URL('..', import.meta.url))

/** The checkout. Vite takes what follows a # in a path for a fragment: then it gets a link. */
const pathForVite = (): string => {
  if (!checkout.includes('#')) return checkout
  const link = join(mkdtempSync(join(tmpdir(), 'checkout-')), 'link')
  symlinkSync(checkout, link)
  return `${link}/`
}
const root = pathForVite()
const data = join(root, 'shared/data/')

// shared/data gets the DynamoDB client that it gets in a bundle: the lean one, or with
// STOCK_CLIENT=1 the SDK's, as in a stage with `dynamoDBClient: 'sdk'`. Processes that
// tests start, such as the local server, use the SDK's: so both are tested.
const asBundled = {
  name: 'as-bundled',
  enforce: 'pre',
  resolveId: (name: string, importer = '') =>
    importer.startsWith(data) && !process.env.STOCK_CLIENT
      ? replacements[name as keyof typeof replacements]?.replace(checkout, root)
      : undefined,
} as const

// They synthesize the same stacks, so they share a process, which starts after the others.
const cdk = ['test/infra/{app,github}.test.ts', 'test/infra/stack/!(release-hook).test.ts']
// They leave the environment and the console as they were, so they share processes.
const stateless = [
  'test/infra/{openapi/*,packages/*/*}.test.ts',
  'test/infra/local/{local-api,source-watch}.test.ts',
  'test/infra/bundle/collections-digest.test.ts',
  'test/shared/{pipeline,model}/*.test.ts',
  'test/layout.test.ts',
]
// They only call the API.
const api = 'test/api/*.test.ts'
// They take minutes, or need a browser: `npm test` leaves them out.
const slow = ['test/{browser,guide,recipe,runbook}/*.test.ts', 'test/faults/*.test.ts']

export default defineConfig({
  plugins: [asBundled],
  resolve: { preserveSymlinks: root !== checkout },
  test: {
    root,
    // Only to end what hangs: no test depends on the clock. A test that needs longer on a busy
    // machine says so.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // Many tests wait for processes.
    maxWorkers: 3,
    globalSetup: 'test/support/global-setup.ts',
    env: {
      ...exampleCredentials,
      AWS_CONFIG_FILE: devNull,
      AWS_SHARED_CREDENTIALS_FILE: devNull,
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    // The cache of resolved imports does not know of this variable.
    fsModuleCache: !process.env.STOCK_CLIENT,
    projects: [
      {
        extends: true,
        test: {
          name: 'cdk',
          include: cdk,
          isolate: false,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      { extends: true, test: { name: 'stateless', include: stateless, isolate: false } },
      {
        extends: true,
        test: {
          name: 'api',
          include: [api],
          isolate: false,
          globalSetup: 'test/support/api-server.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [...cdk, ...stateless, api, ...slow, '**/node_modules/**'],
        },
      },
      {
        extends: true,
        test: { name: 'slow', include: slow, testTimeout: 900_000, hookTimeout: 300_000 },
      },
    ],
  },
})
