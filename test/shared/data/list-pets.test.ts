import '../../support/database.ts'
import { describe, expect, test } from 'vitest'
import { list } from '../../../shared/data/pets.ts'
import type { Pet, PetStatus } from '../../../shared/model/pet.ts'
import { create } from './create.ts'

const pet = async (name: string, status?: PetStatus) => create({ name, categoryId: 7, ...(status && { status }) })
const idOf = ({ id }: Pet) => Number(id)

const ada = await pet('Ada', 'available')
const bob = await pet('Bob', 'sold')
const cat = await pet('Cat')
const dot = await pet('Dot', 'available')
const eve = await pet('Eve', 'pending')
const fay = await pet('Fay', 'sold')
const gus = await pet('Gus')
const hal = await pet('Hal', 'available')

test('a list is of all pets, those without a status included, newest first', async () => {
  const page = await list({ limit: 100 })

  expect(page).toEqual({ pets: [hal, gus, fay, eve, dot, cat, bob, ada], next: undefined })
})

test.each([
  { status: 'available', pets: [hal, dot, ada] },
  { status: 'pending', pets: [eve] },
  { status: 'sold', pets: [fay, bob] },
] as const)('a list of the $status holds no others', async ({ status, pets }) => {
  const page = await list({ status, limit: 100 })

  expect(page).toEqual({ pets, next: undefined })
})

describe('a page', () => {
  test('that leaves pets out tells where the next one starts', async () => {
    expect(await list({ limit: 3 })).toEqual({ pets: [hal, gus, fay], next: fay.id })
    expect(await list({ limit: 1, status: 'sold' })).toEqual({ pets: [fay], next: fay.id })
  })

  test('that ends with the last pet tells of no next one', async () => {
    expect(await list({ limit: 8 })).toEqual({ pets: [hal, gus, fay, eve, dot, cat, bob, ada], next: undefined })
    expect(await list({ limit: 2, status: 'sold' })).toEqual({ pets: [fay, bob], next: undefined })
  })

  test('starts below the id that it is asked to start below, whether that is in the list or not', async () => {
    expect(await list({ limit: 2, before: idOf(fay) })).toEqual({ pets: [eve, dot], next: dot.id })
    expect(await list({ limit: 2, before: idOf(fay), status: 'available' })).toEqual({
      pets: [dot, ada],
      next: undefined,
    })
    expect(await list({ limit: 2, before: idOf(cat) + 1 })).toEqual({ pets: [cat, bob], next: bob.id })
  })

  test('below the oldest pet is empty', async () => {
    expect(await list({ limit: 2, before: idOf(ada) })).toEqual({ pets: [], next: undefined })
    expect(await list({ limit: 2, before: 0 })).toEqual({ pets: [], next: undefined })
  })
})

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])('pages of %i hold each pet once, in the order of the list', async (limit) => {
  const pages = []
  let before: number | undefined
  do {
    const page = await list({ limit, ...(before !== undefined && { before }) })
    pages.push(page.pets)
    before = page.next
  } while (before !== undefined)

  expect(pages.flat()).toEqual([hal, gus, fay, eve, dot, cat, bob, ada])
  expect(pages).toHaveLength(Math.ceil(8 / limit))
})
