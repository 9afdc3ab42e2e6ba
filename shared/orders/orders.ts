import { collection } from '../data/collection.ts'
import { reservationKeys } from '../data/reservations.ts'
import { inside, type Transaction } from '../data/transaction.ts'
import { conflict } from '../model/api-error.ts'
import type { IfMatch } from '../model/etag.ts'
import type { Intent } from '../model/idempotency-key.ts'
import type { Int64 } from '../model/int64.ts'
import { hold, pets, release } from '../pets/pets.ts'
import { type NewOrder, Order } from './order.ts'

const stored = collection('orders', Order)

/** The orders of the store. An open order holds its pet: both change together, so nobody else can order it. */
export const orders = {
  get: stored.get,
  list: stored.list,

  /** Orders a pet, which is `pending` from then on. Throws an ApiError 409 if it is not available; 422 as `create` does. */
  place: ({ petId }: NewOrder, intent?: Intent, open?: Transaction) =>
    inside(open, async (open) => {
      await open.read(...reservationKeys(intent), pets.keyOf(petId))
      const placed = await stored.create({ petId, complete: false }, intent, open)
      if (!placed.isReplay) await hold(petId, placed.resource.id, open)
      return placed
    }),

  /** Completes an order: its pet is `sold`. Does nothing if it is complete. Throws an ApiError as `change` does. */
  complete: (id: Int64, ifMatch?: IfMatch, open?: Transaction) =>
    inside(open, async (open) => {
      const { petId, complete } = await stored.read(id, ifMatch, open)
      if (complete) return stored.get(id, open)
      await release(petId, id, 'sold', open)
      return stored.change(id, { complete: true }, ifMatch, open)
    }),

  /** Deletes an open order: its pet is `available` again. Throws an ApiError as `remove` does; 409 if it is complete. */
  cancel: (id: Int64, ifMatch?: IfMatch, open?: Transaction) =>
    inside(open, async (open) => {
      const { petId, complete } = await stored.read(id, ifMatch, open)
      if (complete) throw conflict(`Order ${id} is complete. To offer pet ${petId} again, change its status.`)
      await release(petId, id, 'available', open)
      await stored.remove(id, ifMatch, open)
    }),
}
