import { expect, test } from 'vitest'
import { fuzz } from './fuzz.ts'

// `npm run fuzz` sends fifty times as many, and others each time.
test('every response to 400 requests of all kinds is correct', async () => {
  const { statuses } = await fuzz({ requests: 400, seed: 20_301_205 })

  const responses = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  // Those of Node.js itself, to invalid HTTP, do not count.
  expect(responses).toBeGreaterThan(350)
})
