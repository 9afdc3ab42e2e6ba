import type { AnyCollection } from './data/collection.ts'
import type { CollectionId } from './data/tables.ts'
import { storedOrders } from './orders/stored-orders.ts'
import { storedPets } from './pets/stored-pets.ts'

/** The collections of the service, for what works with all of them. No function loads this file. */
export const collections = {
  pets: storedPets,
  orders: storedOrders,
} satisfies Record<CollectionId, AnyCollection>
