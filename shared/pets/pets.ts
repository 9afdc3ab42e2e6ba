import type { Transaction } from '../data/transaction.ts'
import { assertNotHeld } from '../hold.ts'
import type { IfMatch } from '../model/etag.ts'
import type { Int64 } from '../model/int64.ts'
import type { PetChanges } from './pet.ts'
import { storedPets } from './stored-pets.ts'

/** A pet with an open order keeps its status, and is not deleted. */
export const pets = {
  get: storedPets.get,
  list: storedPets.list,
  create: storedPets.create,

  /** Changes a pet. Throws as `change` of a collection; 409 if an open order keeps its status. */
  change: async (tx: Transaction, id: Int64, changes: PetChanges, ifMatch: IfMatch | undefined) => {
    const pet = await storedPets.get(tx, id, ifMatch)
    const { status } = changes
    if (status !== undefined && status !== pet.status) await assertNotHeld(tx, pet)
    return storedPets.change(tx, id, changes, ifMatch)
  },

  /** Deletes a pet. Throws as `remove` of a collection; 409 if it has an open order. */
  remove: async (tx: Transaction, id: Int64, ifMatch: IfMatch | undefined) => {
    const pet = await storedPets.get(tx, id, ifMatch)
    await assertNotHeld(tx, pet)
    await storedPets.remove(tx, id, ifMatch)
  },
}
