import * as v from 'valibot'
import { collection } from '../data/collection.ts'
import type { Transaction } from '../data/transaction.ts'
import { conflict } from '../model/api-error.ts'
import type { IfMatch } from '../model/etag.ts'
import { Id } from '../model/id.ts'
import type { Int64 } from '../model/int64.ts'
import { Pet, type PetChanges, type PetStatus } from './pet.ts'

/** A pet is stored with its open `order`, if it has one. */
const StoredPet = v.pipe(v.object({ ...Pet.entries, order: v.optional(Id) }), v.title('Pet'))
const stored = collection('pets', StoredPet)

type StoredPet = v.InferOutput<typeof StoredPet>

/** A pet with an open order keeps its status, and is not deleted: that is an ApiError 409. */
export const pets = {
  ...stored,

  change: async (tx: Transaction, id: Int64, changes: PetChanges, ifMatch?: IfMatch) => {
    const pet = await stored.read(tx, id, ifMatch)
    const { status = pet.status } = changes
    if (status !== pet.status) await refuseIfHeld(tx, pet)
    return stored.change(tx, id, changes)
  },

  remove: async (tx: Transaction, id: Int64, ifMatch?: IfMatch) => {
    await refuseIfHeld(tx, await stored.read(tx, id, ifMatch))
    await stored.remove(tx, id)
  },
}

/** Throws an ApiError 409 unless a pet is available. */
export const refuseUnlessAvailable = async (tx: Transaction, id: Int64): Promise<void> => {
  const pet = await stored.find(tx, id)
  const state = pet ? (pet.status ? `is ${pet.status}` : 'has no status') : 'does not exist'
  if (pet?.status !== 'available') throw conflict(`Pet ${id} is not available: it ${state}.`)
}

/** Lets an order hold a pet, which is `pending` from then on. */
export const hold = async (tx: Transaction, id: Int64, order: number): Promise<void> => {
  await stored.change(tx, id, { status: 'pending', order })
}

/** Ends the hold of an order, if it holds the pet, which then gets this status. */
export const release = async (
  tx: Transaction,
  id: Int64,
  order: Int64,
  status: PetStatus,
): Promise<void> => {
  const pet = await stored.find(tx, id)
  if (pet?.order === order) await stored.change(tx, id, { status, order: null })
}

const refuseIfHeld = async (tx: Transaction, { id, order }: StoredPet): Promise<void> => {
  if (order === undefined) return
  // By name, because orders import this file.
  const found = await tx.read({ table: 'orders', value: order })
  // After a table was restored, an order may be missing or complete, and must not lock the pet.
  if (found && !found.complete)
    throw conflict(`Pet ${id} has the open order ${order}. Complete or cancel it first.`)
}
