import { expect, test } from 'vitest'
import { catalogueOf } from './catalogue.ts'
import { pagesOf } from './pages.ts'

test('are the first, the middle and the last 20 of a catalogue, and of the pets of one status', () => {
  const pets = catalogueOf(100)
  const available = pets.filter(({ status }) => status === 'available')
  const ids = (list: typeof pets, from: number) => list.slice(from, from + 20).map(({ id }) => id)

  const pages = pagesOf(pets)

  expect(available.length).toBe(25)
  expect(pages.map(({ of, ids }) => [of, ids])).toEqual([
    ['page of 20 of 100 pets, first, all', ids(pets, 0)],
    ['page of 20 of 100 pets, first, one status', ids(available, 0)],
    ['page of 20 of 100 pets, middle, all', ids(pets, 40)],
    ['page of 20 of 100 pets, middle, one status', ids(available, 2)],
    ['page of 20 of 100 pets, last, all', ids(pets, 80)],
    ['page of 20 of 100 pets, last, one status', ids(available, 5)],
  ])
})
