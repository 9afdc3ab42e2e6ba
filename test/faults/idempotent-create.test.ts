import '../support/database.ts'
import { describe, expect, test } from 'vitest'
import { type Reservation, reservationStore } from '../../shared/data/idempotent-create.ts'
import { at } from '../support/clock.ts'
import { runsAll } from './cases.ts'
import { type Attempt, type CarryOut, carryOut, exploreCreations, put, type Write } from './creation-model.ts'

const ONE_HOUR = 3_600_000
const ONE_DAY = 24 * ONE_HOUR

const attempt = (name: string, draws: number[], fingerprint = 'body'): Attempt => ({ name, fingerprint, draws })

const [a, b] = [attempt('a', [1, 2]), attempt('b', [2, 1])]
const [a1, b1, c1] = [attempt('a', [1]), attempt('b', [1]), attempt('c', [1])]
const [b4, b131, other] = [attempt('b', [4]), attempt('b', [1, 3, 1]), attempt('b', [1], 'other')]

describe('a reservation creates one pet, whatever crashes, gets lost, comes late, is deleted or expires', () => {
  const scenarios = [
    { when: 'no id is in use', attempts: [a, b], taken: [], mayLose: 1 },
    { when: 'one draws an id that is in use', attempts: [a1, b4], taken: [1], mayLose: 1 },
    { when: 'both draw an id that is in use', attempts: [a1, b1], taken: [1], mayLose: 1 },
    { when: 'both draw two ids that are in use', attempts: [a, b], taken: [1, 2], mayLose: 0 },
    { when: 'one sends another body', attempts: [a, other], taken: [1], mayLose: 1 },
  ]
  // The larger ones take most of the time.
  const larger = [
    { when: 'both draw the same id', attempts: [a1, b1], taken: [], mayLose: 2 },
    { when: 'one moves to the id that the other left', attempts: [a, b131], taken: [1, 3], mayLose: 1 },
    { when: 'three draw the same id', attempts: [a1, b1, c1], taken: [], mayLose: 0 },
  ]

  test.each(runsAll ? [...scenarios, ...larger] : scenarios)('when $when', async (scenario) => {
    const { states, wrong } = await exploreCreations(scenario)

    expect(wrong).toBeUndefined()
    expect(states).toBeGreaterThan(7000) // 300,000 in all scenarios.
  })
})

describe('the exploration finds an error', () => {
  const scenario = { attempts: [a, b, c1], taken: [1, 2], mayLose: 0 }
  /** Ignores the condition of one kind of write. */
  const withoutCondition = (kind: Write['do']): CarryOut => {
    return (store, call) => (call.do === kind ? { result: true, store: put(store, call) } : carryOut(store, call))
  }
  const withoutPets: CarryOut = (store, call) => (call.do === 'write' ? { result: true, store } : carryOut(store, call))

  test.each<[string, CarryOut, string]>([
    ['a reservation is moved twice', withoutCondition('replace'), 'A reservation created two pets.'],
    ['a reservation replaces another one', withoutCondition('reserve'), 'A reservation created two pets.'],
    ['a pet replaces another one', withoutCondition('write'), 'An id got a pet twice.'],
    ['a pet is not stored', withoutPets, 'A request got a 201 for a pet that is not stored.'],
  ])('when %s', async (_, database, expected) => {
    const { wrong } = await exploreCreations(scenario, database)

    expect(wrong).toBe(expected)
  })

  test('when a deleted pet is forgotten as early as its reservation', async () => {
    const { wrong } = await exploreCreations(scenario, carryOut, 2)

    expect(wrong).toBe('An id got a pet twice.')
  })
})

test('DynamoDB checks the conditions that the exploration assumes', async () => {
  const store = reservationStore('intent', { abortSignal: new AbortController().signal })
  const [first, second] = [1, 2].map((id) => ({ id, fingerprint: 'body' })) as [Reservation, Reservation]

  expect([await store.replace(1, first), await store.read()]).toEqual([false, undefined])
  expect([await store.reserve(first), await store.reserve(second)]).toEqual([true, false])
  expect(await store.replace(3, second)).toBe(false)
  expect(await store.replace(1, { ...second, fingerprint: 'other' })).toBe(false)
  expect(await store.read()).toMatchObject(first)
  expect(await store.replace(1, second)).toBe(true)
  at(ONE_DAY - 1)
  expect([await store.reserve(first), await store.replace(2, second)]).toEqual([false, true])
  at(2 * ONE_DAY - 1)
  expect(await store.replace(2, second)).toBe(false)
  expect(await store.read()).toMatchObject(second)
  expect([await store.reserve(first), await store.read()]).toMatchObject([true, first])
  at(3 * ONE_DAY + ONE_HOUR) // DynamoDB deletes expired items late.
  expect([await store.replace(1, first), await store.reserve(second)]).toEqual([false, true])
})
