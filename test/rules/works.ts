import { conflict } from '../../shared/model/api-error.ts'
import { pets } from '../../shared/pets/pets.ts'
import { newPet, petOf } from '../support/pets.ts'
import type { Work } from './all-orders.ts'

// What the requests of several tests do, and to which pets.

export const aPet = { pets: [petOf(1)] }
export const twoPets = { pets: [petOf(1), petOf(2)] }

export const once = (work: Work) => ({ key: 'a', work })

export const create: Work = (tx) => pets.create(tx, newPet())
export const change: Work = (tx) => pets.change(tx, 1, { name: 'Max' }, undefined)
export const remove: Work = (tx) => pets.remove(tx, 1, undefined)

export const sellBoth: Work = async (tx) => {
  await pets.change(tx, 2, { status: 'sold' }, undefined)
  return pets.change(tx, 1, { status: 'sold' }, undefined)
}

/** Takes the pet 1 if it is available. It then has no status, and a new pet as its category. */
export const take: Work = async (tx) => {
  const { status } = await pets.get(tx, 1)
  if (status !== 'available') throw conflict('It is taken.')
  const added = await pets.create(tx, { name: 'Ann', categoryId: 7 })
  await pets.change(tx, 1, { status: null, categoryId: added.id }, undefined)
  return added
}
