import type { Transaction } from '../data/transaction.ts'
import { endHold, holdPet, refuseUnlessAvailable, storedOrders } from '../hold.ts'
import type { IfMatch } from '../model/etag.ts'
import type { Int64 } from '../model/int64.ts'
import { orderIsComplete } from './errors.ts'
import type { NewOrder } from './order.ts'

/** An open order holds its pet: both change together, so nobody else can order it. */
export const orders = {
  get: storedOrders.get,
  list: storedOrders.list,

  /** Orders a pet, which is `pending` from then on. Throws an ApiError: 409 unless available. */
  place: async (tx: Transaction, { petId }: NewOrder) => {
    await refuseUnlessAvailable(tx, petId)
    const placed = await storedOrders.create(tx, { petId, complete: false })
    await holdPet(tx, petId, placed.resource.id)
    return placed
  },

  /**
   * Completes an order: its pet is `sold`. A complete order stays as it is. Throws as `change` of a
   * collection.
   */
  complete: async (tx: Transaction, id: Int64, ifMatch?: IfMatch) => {
    const order = await storedOrders.read(tx, id, ifMatch)
    if (order.complete) return { resource: order, revision: order.revision }
    await endHold(tx, order, 'sold')
    return storedOrders.change(tx, id, { complete: true })
  },

  /**
   * Deletes an order: its pet is `available`. Throws as `remove` of a collection; 409 if the order
   * is complete.
   */
  cancel: async (tx: Transaction, id: Int64, ifMatch?: IfMatch) => {
    const order = await storedOrders.read(tx, id, ifMatch)
    if (order.complete) throw orderIsComplete(order.id, order.petId)
    await endHold(tx, order, 'available')
    await storedOrders.remove(tx, id)
  },
}
