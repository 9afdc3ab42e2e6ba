import '../../support/database.ts'
import { describe, expect, test } from 'vitest'
import { type Reservation, reservationStore } from '../../../shared/data/idempotent-create.ts'
import { type Attempt, type CarryOut, carryOut, explore, put, type Write } from './protocol.ts'

/** An attempt that draws the `first` ids, which others may have or draw as well, and then ids of its own. */
const attempt = (name: string, first: number[], fingerprint = 'body'): Attempt => {
  const own = Array.from({ length: 9 }, (_, i) => 100 * name.charCodeAt(0) + i)
  return { name, fingerprint, draws: [...first, ...own] }
}

const [a, b] = [attempt('a', [1, 2]), attempt('b', [2, 1])]
const [a1, b1, c1] = [attempt('a', [1]), attempt('b', [1]), attempt('c', [1])]

describe('creates one pet, and returns a 201 only for a stored pet, whatever crashes, gets lost or comes late', () => {
  test.each([
    { when: 'no id is in use', attempts: [a, b], taken: [], mayLose: 3 },
    { when: 'both draw the same id', attempts: [a1, b1], taken: [], mayLose: 3 },
    { when: 'one draws an id that is in use', attempts: [a1, attempt('b', [4])], taken: [1], mayLose: 2 },
    { when: 'both draw an id that is in use', attempts: [a1, b1], taken: [1], mayLose: 1 },
    { when: 'both draw two ids that are in use', attempts: [a, b], taken: [1, 2], mayLose: 1 },
    {
      when: 'one moves to the id that the other left',
      attempts: [a, attempt('b', [1, 3, 1])],
      taken: [1, 3],
      mayLose: 1,
    },
    { when: 'three draw the same id', attempts: [a, b1, c1], taken: [], mayLose: 1 },
    { when: 'three draw an id that is in use', attempts: [a, b1, c1], taken: [1], mayLose: 0 },
    { when: 'one sends another body', attempts: [a, attempt('b', [1], 'other')], taken: [1], mayLose: 1 },
  ])('when $when', async (scenario) => {
    const { states, wrong } = await explore(scenario)

    expect(wrong).toBeUndefined()
    expect(states).toBeGreaterThan(800)
  })
})

describe('the exploration finds an error', () => {
  /** A database that ignores the condition of one kind of write. */
  const withoutCondition =
    (kind: Write['do']): CarryOut =>
    (store, call) =>
      call.do === kind ? { result: true, store: put(store, call) } : carryOut(store, call)

  test.each<[string, CarryOut, string]>([
    ['a reservation is moved twice', withoutCondition('move'), 'Two pets were created.'],
    ['a reservation replaces another one', withoutCondition('reserve'), 'Two pets were created.'],
    ['a pet replaces another one', withoutCondition('write'), 'A request is wrong about who created the pet.'],
    [
      'a pet is not stored although the write succeeds',
      (store, call) => (call.do === 'write' ? { result: true, store } : carryOut(store, call)),
      'A last attempt did not get the pet.',
    ],
  ])('when %s', async (_, carry, expected) => {
    const { wrong } = await explore({ attempts: [a, b], taken: [1, 2], mayLose: 0 }, carry)

    expect(wrong).toBe(expected)
  })
})

test('DynamoDB checks the conditions that the exploration assumes', async () => {
  const store = reservationStore('intent', { abortSignal: new AbortController().signal })
  const [first, second] = [1, 2].map((petId) => ({ petId, fingerprint: 'body' })) as [Reservation, Reservation]

  expect([await store.move(first, 1), await store.read()]).toEqual([false, undefined])
  expect([await store.reserve(first), await store.reserve(second)]).toEqual([true, false])
  expect(await store.move(second, 3)).toBe(false)
  expect(await store.move({ ...second, fingerprint: 'other' }, 1)).toBe(false)
  expect(await store.read()).toMatchObject(first)
  expect(await store.move(second, 1)).toBe(true)
  expect(await store.read()).toMatchObject(second)
})
