import * as v from 'valibot'
import { notFound, preconditionFailed } from '../model/api-error.ts'
import { type IfMatch, type Revised, tagOf } from '../model/etag.ts'
import { newId } from '../model/id.ts'
import type { Int64 } from '../model/int64.ts'
import type { AtMostOne } from '../model/paging.ts'
import { collections } from '../service.ts'
import type { Item, Key } from './database.ts'
import type { Page } from './page.ts'
import { type Attributes, partitions } from './shards.ts'
import type { CollectionId, FilterOf } from './tables.ts'
import type { Transaction } from './transaction.ts'

/** The schema of a resource. A collection stores its `id`, `shard`, `revision` and a `<field>Shard` for each filter itself. */
type ResourceSchema<Id extends CollectionId> = v.GenericSchema<unknown, { id: number }> & {
  entries: v.ObjectEntries & { [Field in 'shard' | 'revision' | `${FilterOf<Id>}Shard`]?: never }
}

/** What is known of a collection without its types: the schemas of its fields, and an item as this version stores it. */
export type StoredResource = { fields: v.ObjectEntries; itemOf: (item: Attributes) => Attributes }

/** The fields to filter a list by, of which a list has at most one. */
type Filter<Fields, Field extends keyof Fields> = [Field] extends [never] ? unknown : AtMostOne<Pick<Fields, Field>>

type ListQuery = { limit: number; cursor?: number | undefined }

/**
 * The resources in a table, with the fields of the `schema`. `own` are fields that are stored and never returned. Items of an
 * earlier version get the defaults of the schema, and what `older` returns for them: it only adds the fields that an item lacks,
 * the same each time, because other versions may need the rest.
 */
export const collection = <
  Id extends CollectionId,
  Schema extends ResourceSchema<Id>,
  Own extends v.ObjectEntries = Record<never, never>,
>(
  table: Id,
  schema: Schema,
  { own, older }: { own?: Own; older?: (item: Readonly<Attributes>) => Attributes } = {},
) => {
  type Resource = v.InferOutput<Schema>
  type Fields = Resource & { [Field in keyof Own]?: v.InferOutput<Own[Field]> | undefined }
  type Stored = Item & Fields
  type Changes = { [Field in Exclude<keyof Fields, 'id'>]?: Fields[Field] | null | undefined }

  const definition: Definition = { table, schema, older }

  // The casts say what the functions below, which know no types, have stored.
  return {
    fields: { ...schema.entries, ...own },
    keyOf: (id: Int64): Key => ({ table, value: id }),

    /** An item as this version stores it. */
    itemOf: (item: Attributes): Attributes => itemToStore(definition, item),

    /** Reads a resource as it is stored; `undefined` if there is none. */
    find: (tx: Transaction, id: Int64) => find(definition, tx, id) as Promise<Stored | undefined>,

    /** Reads a resource as `find` does. Throws an ApiError: 404 if there is none, 412 if `ifMatch` does not name its revision. */
    read: (tx: Transaction, id: Int64, ifMatch?: IfMatch) => read(definition, tx, id, ifMatch) as Promise<Stored>,

    /** Reads a resource as it is returned. Throws an ApiError 404 if there is none. */
    get: (tx: Transaction, id: Int64) => get(definition, tx, id) as Promise<Revised<Resource>>,

    /** Creates a resource, and returns it. */
    create: async (tx: Transaction, values: Omit<Fields, 'id'>) => {
      const id = newId()
      return put(definition, tx, id, { ...values, id }) as Revised<Resource>
    },

    /**
     * Changes a resource, and returns it. A field that is `null` is removed. Throws an ApiError as `read` does; then nothing
     * has happened.
     */
    change: (tx: Transaction, id: Int64, changes: Changes, ifMatch?: IfMatch) =>
      change(definition, tx, id, changes, ifMatch) as Promise<Revised<Resource>>,

    /** Deletes a resource. Throws an ApiError as `read` does. */
    remove: async (tx: Transaction, id: Int64, ifMatch?: IfMatch): Promise<void> => {
      await read(definition, tx, id, ifMatch)
      tx.remove({ table, value: id })
    },

    /**
     * Reads a page of a list (eventually consistent): the newest `limit` (1 to 100) resources with ids below `cursor`. What it
     * costs does not depend on the number of resources. A page of large resources has fewer.
     */
    list: <Given extends ListQuery & Filter<Fields, FilterOf<Id> & keyof Fields>>(
      tx: Transaction,
      // Anything else would be ignored, and the list would have too much.
      query: Given & { [Other in Exclude<keyof Given, keyof ListQuery | FilterOf<Id>>]: never },
    ) => list(definition, tx, query) as Promise<Page<Resource>>,
  }
}

/** What the functions below know of a collection. */
type Definition = {
  table: CollectionId
  schema: v.GenericSchema & { entries: v.ObjectEntries }
  older: ((item: Readonly<Attributes>) => Attributes) | undefined
}

const find = async ({ table, ...definition }: Definition, tx: Transaction, id: Int64): Promise<Item | undefined> => {
  const item = await tx.read({ table, value: id })
  return item && { ...complete({ table, ...definition }, item), revision: item.revision }
}

const read = async (definition: Definition, tx: Transaction, id: Int64, ifMatch?: IfMatch): Promise<Item> => {
  const item = await find(definition, tx, id)
  if (!item) throw notFound(`No ${v.getTitle(definition.schema)?.toLowerCase()} has the id ${id}.`)
  if (Array.isArray(ifMatch) && !ifMatch.includes(tagOf(id, item.revision)))
    throw preconditionFailed(ifMatch.some((tag) => tag.startsWith('W/')))
  return item
}

const get = async (definition: Definition, tx: Transaction, id: Int64): Promise<Revised<Attributes>> => {
  const item = await read(definition, tx, id)
  return { resource: resourceIn(definition, item), revision: item.revision }
}

const change = async (definition: Definition, tx: Transaction, id: Int64, changes: object, ifMatch?: IfMatch) => {
  const changed: Attributes = await read(definition, tx, id, ifMatch)
  for (const [name, value] of Object.entries(present(changes))) changed[name] = value ?? undefined
  return put(definition, tx, id, changed)
}

const put = (definition: Definition, tx: Transaction, id: Int64, changed: Attributes): Revised<Attributes> => {
  const item = itemToStore(definition, changed)
  tx.put({ table: definition.table, value: id }, item)
  return { resource: resourceIn(definition, item), revision: tx.revision }
}

const list = async (definition: Definition, tx: Transaction, query: ListQuery & Attributes) => {
  const { table } = definition
  const { limit, cursor } = query
  const field = collections[table].find((name) => query[name] !== undefined)
  const filter = field === undefined ? undefined : { field, value: query[field] }
  const { items, next } = await tx.list({ table, limit, cursor, filter })
  return { items: items.map((item) => resourceIn(definition, complete(definition, item))), next }
}

/** An item with what it lacks. Throws an Error if it cannot be read, because somebody has edited it. */
const complete = ({ table, schema, older }: Definition, item: Attributes): Attributes => {
  const all: Attributes = { ...defaultsOf(schema.entries), ...older?.(item), ...item }
  for (const [name, { type }] of Object.entries(schema.entries))
    if (Number.isNaN(all[name]) || (all[name] === undefined && !type.endsWith('optional')))
      throw new Error(`The item ${item.id} of ${table} has no ${name}, or one that JavaScript would round.`)
  return all
}

const itemToStore = (definition: Definition, changed: Attributes): Attributes => {
  const item = complete(definition, present(changed))
  return present({ ...item, ...partitions(definition.table, item) })
}

const resourceIn = ({ schema }: Definition, item: Attributes): Attributes =>
  present(Object.fromEntries(Object.keys(schema.entries).map((name) => [name, item[name]])))

const defaultsOf = (entries: v.ObjectEntries): Attributes => {
  const fields = Object.entries<v.GenericSchema & { default?: unknown }>(entries as Record<string, v.GenericSchema>)
  return present(Object.fromEntries(fields.map(([name, field]) => [name, field.default])))
}

/** The attributes that are not `undefined`. */
const present = (attributes: object): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
