import type { AnyCollection } from './data/collection.ts'
import type { CollectionId } from './data/tables.ts'
import { storedOrders, storedPets } from './hold.ts'

/** The collections of the service, for what works with all of them. No function loads this file. */
export const resources: Record<CollectionId, AnyCollection> = {
  pets: storedPets,
  orders: storedOrders,
}
