import * as v from 'valibot'
import { runTransaction } from '../data/run-transaction.ts'
import type { Transaction } from '../data/transaction.ts'
import { storedPets } from '../pets/stored-pets.ts'
import { Order } from './order.ts'
import { orders } from './orders.ts'
import { storedOrders } from './stored-orders.ts'

/** Orders some of the pets, and adds the example of the reference. Returns how many orders. */
export const seedOrders = async (): Promise<number> => {
  const examples = v.getExamples(Order)
  for (const order of examples) await runTransaction((tx) => addHolding(tx, order))
  const available = { limit: 100, filter: { status: 'available' } } as const
  const { items } = await runTransaction((tx) => storedPets.list(tx, available))
  let placed = 0
  for (const [i, { id: petId }] of items.entries()) {
    const status = OUTCOMES[i % OUTCOMES.length]
    if (status === 'available') continue
    const order = await runTransaction((tx) => orders.place(tx, { petId }))
    if (status === 'sold') await runTransaction((tx) => orders.complete(tx, order.id, undefined))
    placed++
  }
  return examples.length + placed
}

/** Adds an open order with the id that it has, and lets it hold its pet. */
const addHolding = async (tx: Transaction, order: Order): Promise<void> => {
  storedOrders.putWithId(tx, order)
  const pet = await storedPets.get(tx, order.petId)
  storedPets.putWithId(tx, { ...pet, order: order.id })
}

/** What becomes of every seven pets. */
const OUTCOMES = ['available', 'available', 'sold', 'available', 'pending', 'sold', 'available']
