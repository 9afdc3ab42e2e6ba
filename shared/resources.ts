import type { AnyCollection } from './data/collection.ts'
import type { CollectionId } from './data/tables.ts'
import type { Transaction } from './data/transaction.ts'
import { storedOrders, storedPets } from './hold.ts'
import { seedOrders } from './orders/seed.ts'
import { seedPets } from './pets/seed.ts'

/** What commands know of a resource. */
type Resource = {
  collection: AnyCollection
  /** Adds examples to an empty database, for a laptop. Returns what it added, such as `51 pets`. */
  seed?: (tx: Transaction) => Promise<string>
}

/** The resources of the service, in the order of their seeds. No function loads this file. */
export const resources: Record<CollectionId, Resource> = {
  pets: { collection: storedPets, seed: seedPets },
  orders: { collection: storedOrders, seed: seedOrders },
}
