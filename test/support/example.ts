import { contract, type OperationId } from '../../shared/contract.ts'
import type { TableId } from '../../shared/data/tables.ts'
import { pets } from '../../shared/pets/pets.ts'
import type { Scope } from '../../shared/service.ts'

/**
 * The resource that the tests of the machinery work with. Who makes this service theirs changes this file, and those tests
 * stay as they are. What a resource promises by itself is tested in tests of its own.
 */
export const example = {
  /** The words that only the service's own files say: test/names.test.ts has the list of these. */
  words: ['pet', 'animal'],
  collection: pets,
  table: 'pets',
  title: 'Pet',
  path: '/pets',
  /** The path parameter of one resource. */
  parameter: 'petId',
  /** Its operations. (None that is deprecated: it will go.) */
  list: 'listPets',
  create: 'createPet',
  change: 'updatePet',
  remove: 'deletePet',
  scopes: { read: 'pets:read', write: 'pets:write' },
  /** Events of `test/events`. */
  events: {
    list: 'listPets-no-parameters',
    create: 'createPet-created',
    change: 'updatePet-changed',
    remove: 'deletePet-deleted',
  },
  /** The least that a client sends to create one, with any text as its name. */
  body: (name = 'Rex') => ({ name, categoryId: 7 }),
  /** A field that holds any text of 1 to 1000 characters, and one that holds any int64. Both are required. */
  text: 'name',
  int64: 'categoryId',
  /** A body that is refused, and the message. */
  invalid: {
    body: { name: '', categoryId: 7 },
    message: 'name must be a string of 1 to 1000 characters, not only white space, in valid Unicode.',
  },
  /** A change of a field that every resource has. */
  changes: { name: 'Max' },
  /** An optional field to filter lists by, with its index, one of its values, and another one. */
  filter: { field: 'status', index: 'byStatus', value: 'sold', other: 'available' },
  /** The message of a 404. */
  notFound: (id: unknown) => `No pet has the id ${id}.`,
} as const satisfies Example

// Otherwise, many tests would wait for what never comes.
for (const id of [example.list, example.create])
  if (contract[id]?.path !== example.path) throw new Error(`test/support/example.ts: no ${id} is at ${example.path}.`)

/** Whether such a resource can be changed and deleted. Tests that need this are skipped if it cannot. */
export const isChangeable = example.change in contract && example.remove in contract

/** An example resource as the service returns it. */
export type Resource = Awaited<ReturnType<typeof example.collection.get>>['resource']

type Example = {
  table: TableId
  list: OperationId
  create: OperationId
  change: OperationId
  remove: OperationId
  scopes: { read: Scope; write: Scope }
  [name: string]: unknown
}
