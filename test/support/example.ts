import * as v from 'valibot'
import { contract, type OperationId } from '../../shared/contract.ts'
import type { TableId } from '../../shared/data/tables.ts'
import { pets } from '../../shared/pets/pets.ts'

/**
 * The resource that the tests of the machinery work with. Who makes this service theirs changes
 * this, and those tests stay as they are. What a resource promises by itself is tested in tests of
 * its own.
 */
const own = {
  /** The words that only the service's own files say: test/names.test.ts has the list of these. */
  words: ['pet', 'animal'],
  collection: pets,
  table: 'pets',
  /**
   * Its operations, and the path parameter of one resource. (None that is deprecated: it will go.)
   */
  list: 'listPets',
  create: 'createPet',
  change: 'updatePet',
  remove: 'deletePet',
  parameter: 'petId',
  /** Events of `test/events`. */
  events: {
    list: 'listPets-no-parameters',
    create: 'createPet-created',
    change: 'updatePet-changed',
    remove: 'deletePet-deleted',
  },
  /**
   * The least that a client sends to create one. `text` is the name of a field that holds any text
   * of up to 50 characters.
   */
  body: (name = 'Rex') => ({ name, categoryId: 7 }),
  text: 'name',
  /**
   * The name of a field with an integer, with the least and the largest: an int64, if the resource
   * has one.
   */
  integer: 'categoryId',
  range: [-(2n ** 63n), 2n ** 63n - 1n],
  /** What the service itself gives a new one, besides an id, with values that are possible. */
  given: {},
  /** A change of required fields, after which the resource can be deleted. */
  changes: { name: 'Max' },
  /**
   * A field to filter lists by, one of its values, by which the smoke test lists, and another one.
   */
  filter: { field: 'status', value: 'sold', other: 'available' },
} as const satisfies Own

const { collection, list, create, text } = own
const { body: schema } = contract[create].success
const title = v.getTitle(schema) ?? ''

export const example = {
  ...own,
  schema,
  title,
  path: contract[list].path,
  scopes: { read: contract[list].scope, write: contract[create].scope },
  /** A body that is refused, and the message. */
  invalid: {
    body: { ...own.body(), [text]: '' },
    message: `${text} must be ${v.getDescription(schema.entries[text])}.`,
  },
  /** The message of a 404. */
  notFound: (id: unknown) => `No ${title.toLowerCase()} has the id ${id}.`,
  /** One as the service returns it. */
  resource: (id: number, fields: object = {}): Resource =>
    v.parse(schema, { ...own.body(), ...own.given, ...fields, id }),
  /** One as it is stored. */
  item: (id: number, fields?: object) => ({
    ...collection.itemOf(example.resource(id, fields)),
    revision: 'x',
  }),
} as const

// Otherwise, many tests would wait for what never comes.
if (contract[create].path !== example.path)
  throw new Error(`test/support/example.ts: no ${create} is at ${example.path}.`)

/**
 * Whether such a resource can be changed and deleted. Tests that need this are skipped if it
 * cannot.
 */
export const isChangeable = own.change in contract && own.remove in contract

/** An example resource as the service returns it. */
export type Resource = v.InferOutput<typeof schema>

type Own = {
  table: TableId
  list: OperationId
  create: OperationId
  change: OperationId
  remove: OperationId
  [name: string]: unknown
}
