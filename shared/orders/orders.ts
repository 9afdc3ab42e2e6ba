import { collection } from '../data/collection.ts'
import { reservationKeys } from '../data/reservations.ts'
import { inside, type Transaction } from '../data/transaction.ts'
import { conflict } from '../model/api-error.ts'
import type { IfMatch } from '../model/etag.ts'
import type { Intent } from '../model/idempotency-key.ts'
import type { Int64 } from '../model/int64.ts'
import { hold, pets, release } from '../pets/pets.ts'
import { type NewOrder, Order } from './order.ts'

/** The orders as they are stored, without their rules. */
export const storedOrders = collection('orders', Order)

/** The orders of the store. An open order holds its pet: both change together, so nobody else can order it. */
export const orders = {
  get: storedOrders.get,
  list: storedOrders.list,

  /** Orders a pet, which is `pending` from then on. Throws an ApiError 409 if it is not available; 422 as `create` does. */
  place: ({ petId }: NewOrder, intent?: Intent, tx?: Transaction) =>
    inside(tx, async (tx) => {
      // A replay follows from the reservation, a 409 from the pet: read one after the other, they could be of different moments.
      await tx.readTogether(...reservationKeys(intent), pets.keyOf(petId))
      const placed = await storedOrders.create({ petId, complete: false }, intent, tx)
      if (!placed.isReplay) await hold(petId, placed.resource.id, tx)
      return placed
    }),

  /** Completes an order: its pet is `sold`. Does nothing if it is complete. Throws an ApiError as `change` does. */
  complete: (id: Int64, ifMatch?: IfMatch, tx?: Transaction) =>
    inside(tx, async (tx) => {
      const { petId, complete } = await storedOrders.read(id, ifMatch, tx)
      if (complete) return storedOrders.get(id, tx)
      await release(petId, id, 'sold', tx)
      return storedOrders.change(id, { complete: true }, ifMatch, tx)
    }),

  /** Deletes an open order: its pet is `available` again. Throws an ApiError as `remove` does; 409 if it is complete. */
  cancel: (id: Int64, ifMatch?: IfMatch, tx?: Transaction) =>
    inside(tx, async (tx) => {
      const { petId, complete } = await storedOrders.read(id, ifMatch, tx)
      if (complete) throw conflict(`Order ${id} is complete. To offer pet ${petId} again, change its status.`)
      await release(petId, id, 'available', tx)
      await storedOrders.remove(id, ifMatch, tx)
    }),
}
