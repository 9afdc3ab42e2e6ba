import * as v from 'valibot'
import { transaction } from './data/transaction.ts'
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
export const seed = async (): Promise<string> => {
  if ((await pets.list({ limit: 1 })).items.length > 0) return 'no new pets'
  await transaction(async (tx) => {
    const [order] = v.getExamples(Order)
    if (order) tx.put(storedOrders.keyOf(order.id), storedOrders.itemOf(order))
    for (const pet of v.getExamples(Pet))
      tx.put(pets.keyOf(pet.id), pets.itemOf(pet.id === order?.petId ? { ...pet, order: order.id } : pet))
  })
  // One after the other: a list has them in the reverse of this order.
  for (const [i, name] of NAMES.trim().split(/\s+/).entries()) {
    const { resource } = await pets.create({ name, categoryId: (i % 5) + 1, status: 'available' })
    const status = STATUSES[i % STATUSES.length]
    const order = status !== 'available' && (await orders.place({ petId: resource.id }))
    if (order && status === 'sold') await orders.complete(order.resource.id)
  }
  return '51 new pets and 22 orders'
}

// Of each category, 1 to 5: a dog, a cat, a bird, a rabbit and a fish.
const NAMES = `
  Rex Mia Kiwi Flopsy Nemo Bella Tiger Coco Thumper Bubbles Bruno Cleo Polly Clover Goldie Luna Simba Sunny Snowball Finn
  Max Felix Rio Hazel Dory Daisy Lucy Pepper Cotton Marlin Rocky Oscar Sky Nibbles Coral Nala Minka Mango Bramble Neptune
  Buddy Leo Tweety Poppy Pearl Ruby Misty Jade Oreo`
const STATUSES = ['available', 'available', 'sold', 'available', 'pending', 'sold', 'available']
