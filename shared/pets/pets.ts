import { collection } from '../data/collection.ts'
import { inside, type Transaction } from '../data/transaction.ts'
import { conflict } from '../model/api-error.ts'
import type { IfMatch } from '../model/etag.ts'
import { Id } from '../model/id.ts'
import type { Int64 } from '../model/int64.ts'
import { Pet, type PetChanges, type PetStatus } from './pet.ts'

/** A pet is stored with its open `order`, if it has one. */
const stored = collection('pets', Pet, { own: { order: Id } })

type StoredPet = Awaited<ReturnType<typeof stored.read>>

/** The pets of the store. A pet with an open order keeps its status, and is not deleted: that is an ApiError 409. */
export const pets = {
  ...stored,

  change: (id: Int64, changes: PetChanges, ifMatch?: IfMatch, tx?: Transaction) =>
    inside(tx, async (tx) => {
      const pet = await stored.read(id, ifMatch, tx)
      const { status = pet.status } = changes
      if (status !== pet.status) await refuseIfHeld(pet, tx)
      return stored.change(id, changes, ifMatch, tx)
    }),

  remove: (id: Int64, ifMatch?: IfMatch, tx?: Transaction) =>
    inside(tx, async (tx) => {
      await refuseIfHeld(await stored.read(id, ifMatch, tx), tx)
      return stored.remove(id, ifMatch, tx)
    }),
}

/** Lets an order hold a pet. Throws an ApiError 409 if the pet is not available. */
export const hold = async (id: Int64, order: number, tx: Transaction): Promise<void> => {
  const pet = await stored.find(id, tx)
  const state = pet ? (pet.status ? `is ${pet.status}` : 'has no status') : 'does not exist'
  if (pet?.status !== 'available') throw conflict(`Pet ${id} is not available: it ${state}.`)
  await stored.change(id, { status: 'pending', order }, undefined, tx)
}

/** Ends the hold of an order, and gives the pet this status. Does nothing if the order does not hold the pet. */
export const release = async (id: Int64, order: Int64, status: PetStatus, tx: Transaction): Promise<void> => {
  const pet = await stored.find(id, tx)
  if (pet?.order === order) await stored.change(id, { status, order: null }, undefined, tx)
}

const refuseIfHeld = async ({ id, order }: StoredPet, tx: Transaction): Promise<void> => {
  if (order === undefined) return
  const key = { table: 'orders', value: order } as const // By name, because orders import this file.
  await tx.readTogether(stored.keyOf(id), key)
  const found = await tx.read(key)
  // After a table was restored, an order may be missing or complete, and must not lock the pet.
  if (found && !found.complete) throw conflict(`Pet ${id} has the open order ${order}. Complete or cancel it first.`)
}
