import { expect, test } from 'vitest'
import { catalogueOf } from './catalogue.ts'
import { pagesOf } from './pages.ts'

test('are the first, the middle and the last 20 of a catalogue, and of the animals of one status', () => {
  const animals = catalogueOf(100)
  const available = animals.filter(({ status }) => status === 'available')
  const ids = (list: typeof animals, from: number) => list.slice(from, from + 20).map(({ id }) => id)

  const pages = pagesOf(animals)

  expect(available.length).toBe(25)
  expect(pages.map(({ of, ids }) => [of, ids])).toEqual([
    ['page of 20 of 100 animals, first, all', ids(animals, 0)],
    ['page of 20 of 100 animals, first, one status', ids(available, 0)],
    ['page of 20 of 100 animals, middle, all', ids(animals, 40)],
    ['page of 20 of 100 animals, middle, one status', ids(available, 2)],
    ['page of 20 of 100 animals, last, all', ids(animals, 80)],
    ['page of 20 of 100 animals, last, one status', ids(available, 5)],
  ])
})
