import * as v from 'valibot'
import type { Transaction } from '../data/transaction.ts'
import { storedOrders, storedPets } from '../hold.ts'
import { Order } from './order.ts'
import { orders } from './orders.ts'

/** Orders some of the pets, and adds the example of the reference. */
export const seedOrders = async (tx: Transaction): Promise<string> => {
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
  return `${examples.length + placed} orders`
}

/** What becomes of every seven pets. */
const OUTCOMES = ['available', 'available', 'sold', 'available', 'pending', 'sold', 'available']
