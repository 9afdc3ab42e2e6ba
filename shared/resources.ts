import type { OperationId } from './contract.ts'
import type { StoredResource } from './data/collection.ts'
import type { CollectionId } from './data/tables.ts'
import type { Transaction } from './data/transaction.ts'
import { storedOrders } from './orders/orders.ts'
import { seedOrders } from './orders/seed.ts'
import { pets } from './pets/pets.ts'
import { seedPets } from './pets/seed.ts'

/** What commands know of a resource. */
type Resource = {
  collection: StoredResource
  /** Adds examples to an empty database, for a laptop. Returns what it added, such as `51 pets`. */
  seed?: (tx: Transaction) => Promise<string>
}

/** The resources of the service, in the order of their seeds. No function loads this file. */
export const resources: Record<CollectionId, Resource> = {
  pets: { collection: pets, seed: seedPets },
  orders: { collection: storedOrders, seed: seedOrders },
}

/** What the smoke test of a deployment sends. */
type Smoke = {
  create: OperationId
  /** The response has all of its fields. */
  body: (name: string) => object
  list: OperationId
  filter?: Record<string, string>
  change?: { operation: OperationId; body: object }
  /** Gets a 409. */
  refused?: { operation: OperationId; body: (id: number) => object }
  /** Without it, each test leaves one. */
  remove?: OperationId
}

/** Nobody can order what is sold. The largest int64 shows whether integers stay exact. */
export const smoke: Smoke = {
  create: 'createPet',
  body: (name) => ({ name, categoryId: 2n ** 63n - 1n, status: 'sold' }),
  list: 'listPets',
  filter: { status: 'sold' },
  change: { operation: 'updatePet', body: { name: 'Smoke test, changed' } },
  refused: { operation: 'placeOrder', body: (petId) => ({ petId }) },
  remove: 'deletePet',
}
