import type * as v from 'valibot'
import { notFound, preconditionFailed } from '../model/api-error.ts'
import { type IfMatch, type Revised, tagOf } from '../model/etag.ts'
import { newId } from '../model/id.ts'
import type { Int64 } from '../model/int64.ts'
import type { AtMostOne } from '../model/paging.ts'
import { collections } from '../service.ts'
import type { Item, Key } from './database.ts'
import type { Page, PageQuery } from './page.ts'
import type { Attributes } from './shards.ts'
import {
  checkChanges,
  type Definition,
  defineItem,
  itemAsRead,
  itemAsStored,
  present,
  returnedFields,
} from './stored-item.ts'
import type { CollectionId, FilterOf } from './tables.ts'
import type { Transaction } from './transaction.ts'

/**
 * The schema of a resource. A collection stores its `id`, `shard`, `revision` and a `<field>Shard`
 * for each filter itself.
 */
type ResourceSchema = v.GenericSchema<unknown, { id: number }> & {
  entries: v.ObjectEntries & Reserved
}

/** Attributes that a collection stores itself. */
type Reserved = { [Name in 'shard' | 'revision' | `${string}Shard`]?: never }

/** A collection without its types: the schemas of its fields, an item as this version stores it. */
export type StoredResource = { fields: v.ObjectEntries; itemOf: (item: Attributes) => Attributes }

/** The fields to filter a list by, of which a list has at most one. */
type Filter<Fields, Field extends keyof Fields> = [Field] extends [never]
  ? unknown
  : AtMostOne<Pick<Fields, Field>>

type ListQuery = Pick<PageQuery, 'limit' | 'cursor' | 'after'>

/** A field that may be absent can be removed: `null`. */
type Changes<Fields> = {
  [Name in keyof Fields]?:
    | Fields[Name]
    | undefined
    | (undefined extends Fields[Name] ? null : never)
}

/** Fields that are stored and never returned. Earlier items lack them. */
type Own<Entries> = { [Name in keyof Entries]?: Output<Entries[Name]> | undefined }

/** Fields that follow from `Given`, with their schemas and functions. */
type Derivations<Entries, Given> = {
  [Name in keyof Entries]: readonly [
    schema: Entries[Name],
    compute: (fields: Readonly<Given>) => Output<Entries[Name]> | undefined,
  ]
}

type Output<Schema> = Schema extends v.GenericSchema ? v.InferOutput<Schema> : never

/**
 * The resources in a table, with the fields of the `schema`. `own` fields are stored, and never
 * returned. `derived` fields follow from all others. They are computed when an item is read or
 * stored, and returned if the schema has them. A field that is `undefined` is absent.
 */
export const collection = <
  Id extends CollectionId,
  Schema extends ResourceSchema,
  OwnEntries extends v.ObjectEntries & Reserved = Record<never, never>,
  DerivedEntries extends v.ObjectEntries & Reserved = Record<never, never>,
>(
  table: Id,
  schema: Schema,
  options: {
    own?: OwnEntries
    derived?: Derivations<DerivedEntries, v.InferOutput<Schema> & Own<OwnEntries>>
  } = {},
) => {
  type Resource = v.InferOutput<Schema>
  type Given = Omit<Resource & Own<OwnEntries>, keyof DerivedEntries>
  type Stored = Item & Resource & Own<OwnEntries> & Own<DerivedEntries>
  type NotSet = { [Name in keyof DerivedEntries]?: never }

  const { own = {}, derived = {} } = options
  const definition = defineItem(table, schema, own, derived)

  // The casts say what the functions below, which know no types, have stored.
  return {
    fields: allSchemas(definition),
    keyOf: (id: Int64): Key => ({ table, value: id }),

    /** An item as this version stores it. Throws an Error if it cannot be read or stored so. */
    itemOf: (item: Attributes): Attributes => itemAsStored(definition, item),

    /** Reads a resource as it is stored; `undefined` if there is none. */
    find: (tx: Transaction, id: Int64) =>
      findItem(definition, tx, id) as Promise<Stored | undefined>,

    /** As `find`, but throws an ApiError: 404 if there is none, 412 if `ifMatch` does not match. */
    read: (tx: Transaction, id: Int64, ifMatch?: IfMatch) =>
      readItem(definition, tx, id, ifMatch) as Promise<Stored>,

    /** Reads a resource as it is returned. Throws an ApiError 404 if there is none. */
    get: (tx: Transaction, id: Int64) => getItem(definition, tx, id) as Promise<Revised<Resource>>,

    /** Creates a resource. Throws an Error if a value breaks its schema, a 413 if too large. */
    create: (tx: Transaction, values: Omit<Given, 'id'> & NotSet) =>
      createItem(definition, tx, values) as Promise<Revised<Resource>>,

    /** Stores a resource in place of any that has its id. Throws an Error as `create` does. */
    put: (tx: Transaction, resource: Given & NotSet & { id: number }) =>
      replaceItem(definition, tx, resource.id, resource) as Promise<Revised<Resource>>,

    /** Changes a resource; `null` removes a field. Throws errors as `read` and `create` do. */
    change: (
      tx: Transaction,
      id: Int64,
      changes: Changes<Omit<Given, 'id'>> & NotSet,
      ifMatch?: IfMatch,
    ) => changeItem(definition, tx, id, changes, ifMatch) as Promise<Revised<Resource>>,

    /** Deletes a resource. Throws an ApiError as `read` does. */
    remove: async (tx: Transaction, id: Int64, ifMatch?: IfMatch): Promise<void> => {
      await readItem(definition, tx, id, ifMatch)
      tx.remove({ table, value: id })
    },

    /**
     * Reads a page of a list (eventually consistent): the newest `limit` (1 to 100) resources with
     * ids below `cursor` and above `after`. Large resources make it shorter.
     */
    list: <Query extends ListQuery & Filter<Stored, FilterOf<Id> & keyof Stored>>(
      tx: Transaction,
      // Anything else would be ignored, and the list would have too much.
      query: Query & { [Other in Exclude<keyof Query, keyof ListQuery | FilterOf<Id>>]: never },
    ) => listItems(definition, tx, query) as Promise<Page<Resource>>,
  }
}

const allSchemas = ({ fields, derived }: Definition): v.ObjectEntries => ({
  ...fields,
  ...Object.fromEntries(derived.map(({ name, schema }) => [name, schema])),
})

const findItem = async (definition: Definition, tx: Transaction, id: Int64) => {
  const item = await tx.read({ table: definition.table, value: id })
  return item && { ...itemAsRead(definition, item), revision: item.revision }
}

const readItem = async (
  definition: Definition,
  tx: Transaction,
  id: Int64,
  ifMatch?: IfMatch,
): Promise<Item> => {
  const item = await findItem(definition, tx, id)
  if (!item) throw notFound(`No ${definition.title} has the id ${id}.`)
  if (Array.isArray(ifMatch) && !ifMatch.includes(tagOf(id, item.revision)))
    throw preconditionFailed(ifMatch.some((tag) => tag.startsWith('W/')))
  return item
}

const getItem = async (definition: Definition, tx: Transaction, id: Int64) => {
  const item = await readItem(definition, tx, id)
  return { resource: returnedFields(definition, item), revision: item.revision }
}

const createItem = async (definition: Definition, tx: Transaction, values: object) => {
  const id = newId()
  checkChanges(definition, { ...values })
  return putItem(definition, tx, id, { ...values, id })
}

const replaceItem = async (definition: Definition, tx: Transaction, id: number, values: object) => {
  await tx.read({ table: definition.table, value: id })
  checkChanges(definition, { ...values })
  return putItem(definition, tx, id, { ...values })
}

const changeItem = async (
  definition: Definition,
  tx: Transaction,
  id: Int64,
  changes: object,
  ifMatch?: IfMatch,
) => {
  const item: Attributes = await readItem(definition, tx, id, ifMatch)
  // JSON merge patch (RFC 7396): a field without a value stays, and null removes it.
  const given = Object.entries(present(changes)).map(([name, value]) => [name, value ?? undefined])
  const changed = Object.fromEntries(given)
  checkChanges(definition, changed)
  return putItem(definition, tx, id, { ...item, ...changed })
}

const putItem = (
  definition: Definition,
  tx: Transaction,
  id: Int64,
  item: Attributes,
): Revised<Attributes> => {
  const stored = itemAsStored(definition, item)
  tx.put({ table: definition.table, value: id }, stored)
  return { resource: returnedFields(definition, stored), revision: tx.revision }
}

const listItems = async (
  definition: Definition,
  tx: Transaction,
  query: ListQuery & Attributes,
) => {
  const { table } = definition
  const { limit, cursor, after } = query
  const field = collections[table].find((name) => query[name] !== undefined)
  const filter = field === undefined ? undefined : { field, value: query[field] }
  const { items, next } = await tx.list({ table, limit, cursor, after, filter })
  const returned = items.map((item) => returnedFields(definition, itemAsRead(definition, item)))
  return { items: returned, next }
}
