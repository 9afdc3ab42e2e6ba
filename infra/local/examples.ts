import { collections } from '../../shared/collections.ts'
import { runTransaction } from '../../shared/data/run-transaction.ts'
import { propertyNames } from '../../shared/model/names.ts'
import { seedOrders } from '../../shared/orders/seed.ts'
import { seedPets } from '../../shared/pets/seed.ts'

/** Adds examples if nothing is stored. Returns what it added, such as `22 pets and 10 orders`. */
export const addExamples = async (): Promise<string> => {
  for (const table of propertyNames(collections)) {
    const { items } = await runTransaction((tx) => tx.list({ table, limit: 1 }))
    if (items.length > 0) return 'no examples: it is not empty'
  }
  return `${await seedPets()} pets and ${await seedOrders()} orders`
}
