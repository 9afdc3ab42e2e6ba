import { collection } from '../data/collection.ts'
import { inside, type Transaction } from '../data/transaction.ts'
import { conflict } from '../model/api-error.ts'
import type { IfMatch } from '../model/etag.ts'
import { Id } from '../model/id.ts'
import type { Int64 } from '../model/int64.ts'
import { Pet, type PetChanges, type PetStatus } from './pet.ts'

/** A pet is stored with its open `order`, if it has one. */
const stored = collection('pets', Pet, { order: Id })

type StoredPet = Awaited<ReturnType<typeof stored.read>>

/** The pets of the store. A pet with an open order keeps its status, and is not deleted: that is an ApiError 409. */
export const pets = {
  ...stored,

  change: (id: Int64, changes: PetChanges, ifMatch?: IfMatch, open?: Transaction) =>
    inside(open, async (open) => {
      const pet = await stored.read(id, ifMatch, open)
      const { status = pet.status } = changes
      if (status !== pet.status) await refuseIfHeld(pet, open)
      return stored.change(id, changes, ifMatch, open)
    }),

  remove: (id: Int64, ifMatch?: IfMatch, open?: Transaction) =>
    inside(open, async (open) => {
      await refuseIfHeld(await stored.read(id, ifMatch, open), open)
      return stored.remove(id, ifMatch, open)
    }),
}

/** Lets an order hold a pet. Throws an ApiError 409 if the pet is not available. */
export const hold = async (id: Int64, order: number, open: Transaction): Promise<void> => {
  const [pet] = await open.read(stored.keyOf(id))
  const state = pet ? (pet.status ? `is ${pet.status}` : 'has no status') : 'does not exist'
  if (pet?.status !== 'available') throw conflict(`Pet ${id} is not available: it ${state}.`)
  await stored.change(id, { status: 'pending', order }, undefined, open)
}

/** Ends the hold of an order, and gives the pet this status. Does nothing if the order does not hold the pet. */
export const release = async (id: Int64, order: Int64, status: PetStatus, open: Transaction): Promise<void> => {
  const [pet] = await open.read(stored.keyOf(id))
  if (pet?.order === order) await stored.change(id, { status, order: null }, undefined, open)
}

const refuseIfHeld = async ({ id, order }: StoredPet, open: Transaction): Promise<void> => {
  if (order === undefined) return
  const [, found] = await open.read(stored.keyOf(id), { table: 'orders', value: order })
  // After a table was restored, an order may be missing or complete, and must not lock the pet.
  if (found && !found.complete) throw conflict(`Pet ${id} has the open order ${order}. Complete or cancel it first.`)
}
