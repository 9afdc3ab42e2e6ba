import * as pets from '../../shared/data/pets.ts'
import type { IfMatch } from '../../shared/model/etag.ts'
import type { Intent } from '../../shared/model/idempotency-key.ts'

/** Every collection: how to create, change and delete one of its resources. */
export const collections = [
  {
    table: 'pets',
    find: pets.find,
    create: (intent?: Intent) => pets.create({ name: 'Rex', categoryId: 7, status: 'sold' }, intent),
    change: (id: number, ifMatch?: IfMatch) => pets.change(id, { name: 'Max' }, ifMatch),
    changed: { name: 'Max' },
    remove: pets.remove,
  },
] as const
