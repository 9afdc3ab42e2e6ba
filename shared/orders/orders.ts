import type { Transaction } from '../data/transaction.ts'
import { assertAvailable, endHold, holdPet } from '../hold.ts'
import type { IfMatch } from '../model/etag.ts'
import type { Int64 } from '../model/int64.ts'
import { now } from '../model/timestamp.ts'
import { type NewOrder, orderIsComplete } from './order.ts'
import { storedOrders } from './stored-orders.ts'

/** An open order holds its pet: both change together, so nobody else can order it. */
export const orders = {
  get: storedOrders.get,
  list: storedOrders.list,

  /** Orders a pet, which is `pending` from then on. Throws an ApiError: 409 unless available. */
  place: async (tx: Transaction, { petId, reference }: NewOrder) => {
    await assertAvailable(tx, petId)
    const values = { petId, reference, complete: false, placedAt: now() }
    const order = await storedOrders.create(tx, values)
    await holdPet(tx, petId, order.id)
    return order
  },

  /**
   * Completes an order: its pet is `sold`. A complete order stays as it is. Throws as `change` of a
   * collection.
   */
  complete: async (tx: Transaction, id: Int64, ifMatch: IfMatch | undefined) => {
    const order = await storedOrders.get(tx, id, ifMatch)
    if (order.complete) return order
    await endHold(tx, order, 'sold')
    return storedOrders.change(tx, id, { complete: true, completedAt: now() }, ifMatch)
  },

  /**
   * Deletes an order: its pet is `available`. Throws as `remove` of a collection; 409 if the order
   * is complete.
   */
  cancel: async (tx: Transaction, id: Int64, ifMatch: IfMatch | undefined) => {
    const order = await storedOrders.get(tx, id, ifMatch)
    if (order.complete) throw orderIsComplete(order.id, order.petId)
    await endHold(tx, order, 'available')
    await storedOrders.remove(tx, id, ifMatch)
  },
}
