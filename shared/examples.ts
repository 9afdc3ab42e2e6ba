import * as v from 'valibot'
import type { Transaction } from './data/transaction.ts'
import { Order } from './orders/order.ts'
import { orders, storedOrders } from './orders/orders.ts'
import { Pet } from './pets/pet.ts'
import { pets } from './pets/pets.ts'

// What the commands on a laptop start with. No function loads it.

/** The help of `npm start -- --seed`. */
export const seedHelp = 'add 51 pets and 22 orders, if there are no pets'

/** An operation and one of its events, as arguments of `npm run invoke`. */
export const invocation = 'createPet test/events/createPet-created.json'

/**
 * Adds the same pets each time, with the examples of the reference, if there are none, and orders for those that are pending or
 * sold. Returns what it added.
 */
export const seed = async (tx: Transaction): Promise<string> => {
  const { items } = await pets.list(tx, { limit: 1 })
  if (items.length > 0) return 'no new pets'
  await addExamples(tx)
  // One after the other: a list has them in the reverse of this order.
  for (const [i, name] of NAMES.trim().split(/\s+/).entries()) {
    const { resource } = await pets.create(tx, { name, categoryId: (i % 5) + 1, status: 'available' })
    const status = STATUSES[i % STATUSES.length]
    if (status === 'available') continue
    const order = await orders.place(tx, { petId: resource.id })
    if (status === 'sold') await orders.complete(tx, order.resource.id)
  }
  return '51 new pets and 22 orders'
}

/** Adds the examples of the reference that do not exist. */
const addExamples = async (tx: Transaction): Promise<void> => {
  const [order] = v.getExamples(Order)
  for (const pet of v.getExamples(Pet)) {
    const item = pets.itemOf(pet.id === order?.petId ? { ...pet, order: order.id } : pet)
    if (!(await pets.find(tx, pet.id))) tx.put(pets.keyOf(pet.id), item)
  }
  if (order && !(await storedOrders.find(tx, order.id)))
    tx.put(storedOrders.keyOf(order.id), storedOrders.itemOf(order))
}

// Of each category, 1 to 5: a dog, a cat, a bird, a rabbit and a fish.
const NAMES = `
  Rex Mia Kiwi Flopsy Nemo Bella Tiger Coco Thumper Bubbles Bruno Cleo Polly Clover Goldie Luna Simba Sunny Snowball Finn
  Max Felix Rio Hazel Dory Daisy Lucy Pepper Cotton Marlin Rocky Oscar Sky Nibbles Coral Nala Minka Mango Bramble Neptune
  Buddy Leo Tweety Poppy Pearl Ruby Misty Jade Oreo`
const STATUSES = ['available', 'available', 'sold', 'available', 'pending', 'sold', 'available']
