import * as v from 'valibot'
import { contract, type OperationId } from '../../shared/contract.ts'
import type { CollectionId } from '../../shared/data/tables.ts'
import { pets } from '../../shared/pets/pets.ts'
import { collections } from '../../shared/service.ts'

/**
 * The resource that the tests of the machinery work with. Who makes this service theirs changes
 * this, and those tests stay as they are. What a resource promises by itself is tested in tests of
 * its own.
 */
const own = {
  /** Words that only the service's own files say, which test/names.test.ts lists; no common ones. */
  words: ['pet', 'animal'],
  collection: pets,
  table: 'pets',
  /** Its operations (none that is deprecated: it will go), and their events in `test/events`. */
  list: 'listPets',
  create: 'createPet',
  events: { list: 'listPets-no-parameters', create: 'createPet-created' },
  /** What a client sends to create one. `text` is a field with any text of up to 50 characters. */
  body: (name = 'Rex') => ({ name, categoryId: 7, status: 'available' as const }),
  text: 'name',
  /** What the service itself gives a new one, besides an id, with values that are possible. */
  given: {},
  // Leave out what your service lacks of the following: only its tests are skipped.
  /** The operation that changes one; a change of the text, and one of other fields. */
  change: {
    operation: 'updatePet',
    event: 'updatePet-changed',
    body: { name: 'Max' },
    other: { status: 'sold' },
  },
  /** The operation that deletes one, new or changed. */
  remove: { operation: 'deletePet', event: 'deletePet-deleted' },
  /** A field with an int64, its least value and its largest. */
  integer: { field: 'categoryId', range: [-(2n ** 63n), 2n ** 63n - 1n] },
  /** A field to filter lists by: the value of a new one, and the value after the `other` change. */
  filter: { field: 'status', value: 'available', other: 'sold' },
} as const satisfies Own

const { collection, list, create, text }: typeof own = checked(own)
const { change, remove, integer, filter }: Own = own
const { body: schema } = contract[create].success
const title = v.getTitle(schema) ?? ''
const [, parameter = ''] =
  /{(\w+)}/.exec(contract[(change ?? remove)?.operation ?? list].path) ?? []

/** What the example has. Tests that need something else are skipped. */
export const has = { change: !!change, remove: !!remove, integer: !!integer, filter: !!filter }

export const example = {
  ...own,
  // What it lacks is empty, and used by no test that runs.
  change: { ...change } as Change,
  remove: { ...remove } as Operation,
  integer: { ...integer } as Integer,
  filter: (filter ?? { field: 'shade' }) as Filter,
  schema,
  title,
  path: contract[list].path,
  /** The path parameter of one resource. */
  parameter,
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
  item: (id: number, fields: object = {}) => ({
    ...collection.itemOf({ ...own.body(), ...own.given, ...fields, id }),
    revision: 'x',
  }),
} as const

/** Returns an example. Throws an Error if it names what the service lacks. */
export function checked<Example extends Own>(given: Example): Example {
  const { table, list, create, change, remove, text, integer, filter }: Own = given
  const refuse = (what: string, name: string | undefined, known: string[]) => {
    if (name !== undefined && !known.includes(name))
      throw new Error(
        `test/support/example.ts names the ${what} ${name}, but there is only ${known.join(', ') || 'none'}.`,
      )
  }
  for (const name of [list, create, change?.operation, remove?.operation])
    refuse('operation', name, Object.keys(contract))
  refuse('list of what is created,', contract[list].path, [contract[create].path])
  const { entries } = Object(contract[create].success).body
  for (const name of [text, integer?.field]) refuse('field', name, Object.keys(entries))
  refuse('table', table, Object.keys(collections))
  refuse('filter', filter?.field, [...collections[table]])
  return given
}

/** An example resource as the service returns it. */
export type Resource = v.InferOutput<typeof schema>

type Operation = { operation: OperationId; event: string }
type Change = Operation & { body: object; other: object }
type Integer = { field: string; range: readonly [number | bigint, number | bigint] }
type Filter = typeof own extends { filter: infer Known }
  ? Known
  : { field: never; value: never; other: never }

type Own = {
  table: CollectionId
  list: OperationId
  create: OperationId
  text: string
  change?: Change
  remove?: Operation
  integer?: Integer
  filter?: { field: string; value: unknown; other: unknown }
  [name: string]: unknown
}
