import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// `npm run test:browser`. Not one of `npm test`, which needs no browser.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/browser/*.test.ts'],
    // These only end what hangs, on a machine that is busy with other work as well.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    globalSetup: 'test/support/global-setup.ts',
  },
})
