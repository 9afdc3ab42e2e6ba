import { afterEach, expect, test, vi } from 'vitest'
import { withinBudget } from '../../../shared/data/dynamodb.ts'

afterEach(() => void vi.useRealTimers())

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

test('work that takes three seconds is ended then, and is a 503', async () => {
  vi.useFakeTimers()
  const end = vi.fn()
  const work = withinBudget(
    ({ abortSignal }) =>
      new Promise((_, reject) => {
        abortSignal.onabort = () => {
          end()
          reject(abortSignal.reason)
        }
      }),
  ).catch((error) => error)

  vi.advanceTimersByTime(2999)
  const early = end.mock.calls.length
  vi.advanceTimersByTime(1)

  expect([early, end.mock.calls.length]).toEqual([0, 1])
  expect(await work).toMatchObject({ status: 503 })
})
