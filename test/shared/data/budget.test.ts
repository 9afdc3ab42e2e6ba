import { expect, test } from 'vitest'
import { withinBudget } from '../../../shared/data/dynamodb.ts'

test('work that fails takes along what else it has under way', async () => {
  let signal: AbortSignal | undefined

  const work = withinBudget(async ({ abortSignal }) => {
    signal = abortSignal
    throw new Error('One of the queries failed.')
  })

  await expect(work).rejects.toThrow('One of the queries failed.')
  expect(signal?.aborted).toBe(true)
})

test('work that is done is left alone', async () => {
  const signal = await withinBudget(async ({ abortSignal }) => abortSignal)

  expect(signal.aborted).toBe(false)
})
