import { expect, test } from 'vitest'
import { fuzz } from './fuzz.ts'

// `npm run fuzz` sends ten times as many, and others each time.
const plan = { requests: 2000, seed: 20_301_205 }

test('every answer to 2,000 requests of all kinds is right', { timeout: 600_000 }, async () => {
  const { statuses } = await fuzz(plan)

  const answers = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  expect(answers).toBeGreaterThanOrEqual(plan.requests)
})
