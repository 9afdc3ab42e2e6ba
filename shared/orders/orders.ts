import { collection } from '../data/collection.ts'
import type { Transaction } from '../data/transaction.ts'
import { conflict } from '../model/api-error.ts'
import type { IfMatch } from '../model/etag.ts'
import type { Int64 } from '../model/int64.ts'
import { hold, refuseUnlessAvailable, release } from '../pets/pets.ts'
import { type NewOrder, Order } from './order.ts'

/** The orders as they are stored, without their rules. */
export const storedOrders = collection('orders', Order)

/** An open order holds its pet: both change together, so nobody else can order it. */
export const orders = {
  get: storedOrders.get,
  list: storedOrders.list,

  /**
   * Orders a pet, which is `pending` from then on. Throws an ApiError 409 if it is not available.
   */
  place: async (tx: Transaction, { petId }: NewOrder) => {
    await refuseUnlessAvailable(tx, petId)
    const placed = await storedOrders.create(tx, { petId, complete: false })
    await hold(tx, petId, placed.resource.id)
    return placed
  },

  /** Completes an order: its pet is `sold`. Again, it does nothing. Throws as `change`. */
  complete: async (tx: Transaction, id: Int64, ifMatch?: IfMatch) => {
    const { petId, complete } = await storedOrders.read(tx, id, ifMatch)
    if (complete) return storedOrders.get(tx, id)
    await release(tx, petId, id, 'sold')
    return storedOrders.change(tx, id, { complete: true })
  },

  /** Deletes an open order: its pet is `available`. Throws as `remove`; 409 if it is complete. */
  cancel: async (tx: Transaction, id: Int64, ifMatch?: IfMatch) => {
    const { petId, complete } = await storedOrders.read(tx, id, ifMatch)
    if (complete)
      throw conflict(`Order ${id} is complete. To offer pet ${petId} again, change its status.`)
    await release(tx, petId, id, 'available')
    await storedOrders.remove(tx, id)
  },
}
