import { beforeAll, expect, test } from 'vitest'
import type { Bundles } from '../../support/bundles.ts'
import { quickBundles } from '../quick-bundles.ts'
import { countCalls } from './count-calls.ts'
import { timePages } from './time-pages.ts'

let bundles: Bundles
beforeAll(async () => {
  bundles = await quickBundles()
})

test('a request makes as few calls, and consumes as little, as it can', async () => {
  const figures = await countCalls(bundles)

  const rows = Map.groupBy(figures, ({ of }) => of)
  const valuesOf = (row: typeof figures) => Object.fromEntries(row.map(({ name, value }) => [name, value]))
  const cost = (warm: number, cold: number, read: number, write: number) => ({
    'calls, warm': warm,
    'calls, cold': cold,
    'read units': read,
    'write units': write,
  })
  expect([...rows].map(([of, row]) => [of, valuesOf(row)])).toEqual([
    ['listPets, one status', cost(1, 3, 0.5, 0)],
    ['listPets, all', cost(4, 6, 2, 0)],
    ['createPet', cost(1, 3, 0, 2)],
    ['createPet with Idempotency-Key', cost(2, 4, 0, 3)],
    ['getPet', cost(1, 3, 1, 0)],
  ])
})

test('pages are timed in catalogues of several sizes', async () => {
  const figures = await timePages(bundles, { sizes: [40, 100], rounds: 2 })

  expect(figures.map(({ of }) => of).sort()).toEqual(
    ['first', 'middle', 'last']
      .flatMap((place) =>
        ['40', '100'].flatMap((size) =>
          ['all', 'one status'].map((filter) => `page of 20 of ${size} pets, ${place}, ${filter}`),
        ),
      )
      .sort(),
  )
  expect(figures.every(({ value }) => value > 0)).toBe(true)
})
