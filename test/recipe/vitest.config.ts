import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// For `npm run test:recipe`, which takes a minute or two.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/recipe/*.test.ts'],
    // Only to end what hangs, on a busy machine too.
    testTimeout: 900_000,
    hookTimeout: 120_000,
  },
})
