import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// For `npm run test:browser`. `npm test` needs no browser.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/browser/*.test.ts'],
    // Only to end what hangs, on a busy machine too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    globalSetup: 'test/support/global-setup.ts',
  },
})
