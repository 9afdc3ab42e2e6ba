import type { StoredResource } from './data/collection.ts'
import type { CollectionId } from './data/tables.ts'
import { storedOrders } from './orders/orders.ts'
import { pets } from './pets/pets.ts'

/** The collections of the service, for what works with all of them, such as `npm run rewrite`. No function loads it. */
export const resources: Record<CollectionId, StoredResource> = { pets, orders: storedOrders }
