import type { Transaction } from './data/transaction.ts'
import type { Int64 } from './model/int64.ts'
import { type Order, petIsHeld, petIsNotAvailable } from './orders/order.ts'
import { storedOrders } from './orders/stored-orders.ts'
import type { PetStatus } from './pets/pet.ts'
import { type StoredPet, storedPets } from './pets/stored-pets.ts'

// An open order holds its pet, so that nobody else can order, sell or delete it. The rules of pets
// and those of orders both need this, and both collections.

/** The pet changes with its order, whose revision is the one that a client may name. */
const ANY_REVISION = undefined

/** Lets an order hold a pet, which is `pending` from then on. */
export const holdPet = async (tx: Transaction, petId: Int64, order: number): Promise<void> => {
  await storedPets.change(tx, petId, { status: 'pending', order }, ANY_REVISION)
}

/** Ends the hold of an order, if it holds the pet, which then gets this status. */
export const endHold = async (
  tx: Transaction,
  { id, petId }: Order,
  status: PetStatus,
): Promise<void> => {
  const pet = await storedPets.find(tx, petId)
  if (pet?.order === id) await storedPets.change(tx, petId, { status, order: null }, ANY_REVISION)
}

/** Throws an ApiError 409 if an open order holds the pet. */
export const assertNotHeld = async (tx: Transaction, { id, order }: StoredPet): Promise<void> => {
  const holder = order === undefined ? undefined : await storedOrders.find(tx, order)
  // After a table was restored, an order may be missing or complete, and must not lock the pet.
  if (holder && !holder.complete) throw petIsHeld(id, holder.id)
}

/** Throws an ApiError 409 unless the pet is available. */
export const assertAvailable = async (tx: Transaction, petId: Int64): Promise<void> => {
  const pet = await storedPets.find(tx, petId)
  const state = pet ? (pet.status ? `is ${pet.status}` : 'has no status') : 'does not exist'
  if (pet?.status !== 'available') throw petIsNotAvailable(petId, state)
}
