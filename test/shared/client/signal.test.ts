import { expect, test } from 'vitest'
import { createClient } from '../../../shared/client/client.ts'
import { pause } from '../../../shared/client/retry.ts'
import { allOf } from '../../support/all-of.ts'
import { serve } from './front.ts'

const reason = new Error('The test has seen enough.')

const aborting = () => {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort(reason) }
}

test('a signal ends a call before anything is sent', async () => {
  const front = await serve(['silence'])

  const listed = allOf(createClient(front).pets.list({}, { signal: AbortSignal.abort(reason) }))

  await expect(listed).rejects.toBe(reason)
  expect(front.requests).toEqual([])
})

test('a signal ends a call that waits for its answer', async () => {
  const front = await serve(['silence'])
  const { signal, abort } = aborting()

  const read = createClient({ ...front, attempts: 1 }).pets.get(1, { signal })
  await expect.poll(() => front.requests.length, { timeout: 30_000 }).toBe(1)
  abort()

  await expect(read).rejects.toBe(reason)
  expect(front.requests).toHaveLength(1)
})

test('a signal ends a call that waits to be sent again', async () => {
  const { signal, abort } = aborting()

  const waited = pause(3600, signal)
  abort()

  await expect(waited).rejects.toBe(reason)
  await expect(pause(3600, signal)).rejects.toBe(reason)
})
