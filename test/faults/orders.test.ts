import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { startAttempts } from './attempts.ts'
import { holdCalls } from './held-calls.ts'
import { counts, letGoOn, order } from './order.ts'
import { isWhole, seed } from './size.ts'
import { storedUnder } from './stored.ts'

afterAll(() => {
  if (isWhole) console.table(counts)
})

test('attempts at once make one pet, in whatever order their calls come and whatever these meet', {
  timeout: 600_000,
}, async () => {
  const orders = fc.asyncProperty(order, async (steps) => {
    const name = `Rex-${++counts.orders}`
    const attempts = await startAttempts(3, name)
    const ids = await letGoOn(steps, holdCalls(attempts))

    const answers = attempts.flatMap((attempt) => attempt.answers)
    const given = answers.filter(({ status }) => status === 201)
    const stored = (await storedUnder(ids)).filter((item) => item.name === name)
    const pet = { id: stored[0]?.id, name, categoryId: 7, status: 'available' }
    expect(stored.length).toBe(1)
    expect(given.map(({ body }) => body)).toEqual(given.map(() => pet))
    expect(given.filter(({ headers }) => !('Idempotent-Replayed' in headers)).length).toBeLessThanOrEqual(1)
    expect(attempts.map((attempt) => attempt.answers.at(-1)?.status)).toEqual([201, 201, 201])
    counts['answered 201'] += given.length
    counts['answered 503'] += answers.length - given.length
    await Promise.all(attempts.map(({ container }) => container.proxy.refuse()))
  })

  // To look for a shorter order that fails takes minutes.
  await fc.assert(orders, { seed, numRuns: isWhole ? 400 : 15, endOnFailure: !isWhole })
})
