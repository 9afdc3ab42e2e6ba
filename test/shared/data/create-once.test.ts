import { describe, expect, test } from 'vitest'
import type { Attempt, Write } from './protocol/attempt.ts'
import { check } from './protocol/check.ts'
import { type CarryOut, carryOut, put } from './protocol/world.ts'

/** An attempt that draws `first` ids, which others may have or draw as well, and then ids of its own. */
const attempt = (name: string, first: number[], fingerprint = 'body'): Attempt => {
  const own = Array.from({ length: 9 }, (_, i) => 100 * name.charCodeAt(0) + i)
  return { name, fingerprint, draws: [...first, ...own] }
}

const [a, b] = [attempt('a', [1, 2]), attempt('b', [2, 1])]

describe('a pet is made once, and nobody is answered 201 for one that is not there', () => {
  test.each([
    { when: 'no id is taken', attempts: [a, b], taken: [], mayLose: 3 },
    { when: 'both draw the same id', attempts: [attempt('a', [1]), attempt('b', [1])], taken: [], mayLose: 3 },
    { when: 'one draws an id that is taken', attempts: [attempt('a', [1]), attempt('b', [4])], taken: [1], mayLose: 2 },
    { when: 'both draw it', attempts: [attempt('a', [1]), attempt('b', [1])], taken: [1], mayLose: 1 },
    { when: 'both draw two of those', attempts: [a, b], taken: [1, 2], mayLose: 1 },
    { when: 'one moves to what the other one left', attempts: [a, attempt('b', [1, 3, 1])], taken: [1, 3], mayLose: 1 },
    { when: 'three draw one id', attempts: [a, attempt('b', [1]), attempt('c', [1])], taken: [], mayLose: 1 },
    {
      when: 'three draw one that is taken',
      attempts: [a, attempt('b', [1]), attempt('c', [1])],
      taken: [1],
      mayLose: 0,
    },
    { when: 'one sends another body', attempts: [a, attempt('b', [1], 'other')], taken: [1], mayLose: 1 },
  ])('whatever is lost, late or crashes: $when', async (scenario) => {
    const { moments, wrong } = await check(scenario)

    expect(wrong).toBeUndefined()
    expect(moments).toBeGreaterThan(800)
  })
})

describe('that is not so, and is seen', () => {
  /** A database that carries out each call of a kind whatever its condition says. */
  const heedless =
    (kind: Write['do']): CarryOut =>
    (store, call) =>
      call.do === kind ? { result: true, store: put(store, call) } : carryOut(store, call)

  test.each<[string, CarryOut, string]>([
    ['a reservation is moved that has moved already', heedless('move'), 'Two pets were made.'],
    ['a reservation replaces another one', heedless('reserve'), 'Two pets were made.'],
    ['a put replaces what is there', heedless('write'), 'An attempt is wrong about who made the pet.'],
    [
      'a put is answered but not done',
      (store, call) => (call.do === 'write' ? { result: true, store } : carryOut(store, call)),
      'A last attempt did not end with the pet.',
    ],
  ])('when %s', async (_, carry, expected) => {
    const { wrong } = await check({ attempts: [a, b], taken: [1, 2], mayLose: 0 }, carry)

    expect(wrong).toBe(expected)
  })
})
