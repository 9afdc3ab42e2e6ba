import '../../support/database.ts'
import { expect, test } from 'vitest'
import { reservationOf } from '../../../shared/data/idempotent-create.ts'

const options = { abortSignal: new AbortController().signal }

// The conditions that the model of `protocol/world.ts` takes for granted.
test('a pet is reserved unless one is', async () => {
  const store = reservationOf('reserved', options)

  const [first, second] = [
    await store.reserve({ petId: 1, fingerprint: 'body' }),
    await store.reserve({ petId: 2, fingerprint: 'body' }),
  ]

  expect([first, second]).toEqual([true, false])
  expect(await store.read()).toMatchObject({ petId: 1, fingerprint: 'body' })
})

test.each([
  ['from the id that is taken', 'body', 1, { petId: 2, fingerprint: 'body' }],
  ['not from another id', 'body', 3, { petId: 1, fingerprint: 'body' }],
  ['not to another body', 'other', 1, { petId: 1, fingerprint: 'body' }],
])('a reservation is moved %s', async (intent, fingerprint, from, expected) => {
  const store = reservationOf(intent, options)
  await store.reserve({ petId: 1, fingerprint: 'body' })

  const moved = await store.move({ petId: 2, fingerprint }, from)

  expect(moved).toBe(expected.petId === 2)
  expect(await store.read()).toMatchObject(expected)
})

test('nothing is moved where nothing is reserved', async () => {
  const store = reservationOf('nothing', options)

  const moved = await store.move({ petId: 2, fingerprint: 'body' }, 1)

  expect([moved, await store.read()]).toEqual([false, undefined])
})
