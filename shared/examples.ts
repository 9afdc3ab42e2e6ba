import * as v from 'valibot'
import { type Transaction, transaction } from './data/transaction.ts'
import { storedOrders, storedPets } from './hold.ts'
import { propertyNames } from './model/names.ts'
import { Order } from './orders/order.ts'
import { orders } from './orders/orders.ts'
import { Pet } from './pets/pet.ts'
import { resources } from './resources.ts'

/** Adds examples for a laptop if nothing is stored. Returns what it added, such as `51 pets`. */
export const addExamples = async (): Promise<string> => {
  for (const table of propertyNames(resources)) {
    const { items } = await transaction((tx) => tx.list({ table, limit: 1 }))
    if (items.length > 0) return 'no examples: it is not empty'
  }
  const petCount = await transaction(addPets)
  const orderCount = await transaction(addOrders)
  return `${petCount} pets and ${orderCount} orders`
}

/** Adds the same pets each time, with the examples of the reference. */
const addPets = async (tx: Transaction): Promise<number> => {
  const examples = v.getExamples(Pet)
  for (const pet of examples) storedPets.restore(tx, pet)
  const names = NAMES.trim().split(/\s+/)
  // One after the other: a list returns them in the reverse order.
  for (const [i, name] of names.entries())
    await storedPets.create(tx, { name, categoryId: (i % 5) + 1, status: 'available' })
  return examples.length + names.length
}

/** Orders some of the pets, and adds the example of the reference. */
const addOrders = async (tx: Transaction): Promise<number> => {
  const examples = v.getExamples(Order)
  for (const order of examples) {
    storedOrders.restore(tx, order)
    const pet = await storedPets.read(tx, order.petId)
    storedPets.restore(tx, { ...pet, order: order.id })
  }
  let placed = 0
  const { items } = await storedPets.list(tx, { limit: 100, filter: { status: 'available' } })
  for (const [i, pet] of items.entries()) {
    const status = OUTCOMES[i % OUTCOMES.length]
    if (status === 'available') continue
    const order = await orders.place(tx, { petId: pet.id })
    if (status === 'sold') await orders.complete(tx, order.resource.id)
    placed++
  }
  return examples.length + placed
}

// A pet of each category, 1 to 5, in turn: a dog, a cat, a bird, a rabbit and a fish.
const NAMES = `
  Rex Mia Kiwi Flopsy Nemo Bella Tiger Coco Thumper Bubbles Bruno Cleo Polly Clover Goldie
  Luna Simba Sunny Snowball Finn Max Felix Rio Hazel Dory Daisy Lucy Pepper Cotton Marlin
  Rocky Oscar Sky Nibbles Coral Nala Minka Mango Bramble Neptune Buddy Leo Tweety Poppy Pearl
  Ruby Misty Jade Oreo`

/** What becomes of every seven pets. */
const OUTCOMES = ['available', 'available', 'sold', 'available', 'pending', 'sold', 'available']
