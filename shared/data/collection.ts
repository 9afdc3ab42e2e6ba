import * as v from 'valibot'
import { notFound, preconditionFailed } from '../model/api-error.ts'
import { etagOf, type IfMatch, type Revised } from '../model/etag.ts'
import { newId } from '../model/id.ts'
import type { Int64 } from '../model/int64.ts'
import { collections } from '../service.ts'
import type { Item, Key } from './database.ts'
import type { Page } from './list.ts'
import { type Attributes, partitions } from './shards.ts'
import type { CollectionId } from './tables.ts'
import type { Transaction } from './transaction.ts'

/** The schema of a resource. */
type ResourceSchema = v.GenericSchema<unknown, { id: number }> & { entries: Fields }

/** Schemas of fields. Those that a collection stores itself have other names. */
type Fields = v.ObjectEntries & { [Name in 'shard' | 'revision' | `${string}Shard`]?: never }

/** Fields that are stored and never returned. Earlier items lack them. */
type Own<OwnFields> = {
  [Name in keyof OwnFields]?: OwnFields[Name] extends v.GenericSchema
    ? v.InferOutput<OwnFields[Name]> | undefined
    : never
}

/** A field that may be absent can be removed: `null`. */
type Changes<Values> = {
  [Name in keyof Values]?:
    | Values[Name]
    | undefined
    | (undefined extends Values[Name] ? null : never)
}

/** A page of a list: the newest `limit` (1 to 100) resources with ids below `cursor`. */
type ListQuery<Resource> = {
  limit: number
  cursor?: number | undefined
  /** The value of one field, which `collections` in shared/service.ts names. */
  filter?: { [Name in keyof Resource]?: Resource[Name] | undefined }
}

/** A collection without its types: the schemas of its fields, an item as this version stores it. */
export type StoredResource = { fields: v.ObjectEntries; itemOf: (item: Attributes) => Attributes }

/**
 * The resources in a table, with the fields of the `schema`. Fields of its `own` are stored, and
 * never returned. A field that is `undefined` is absent.
 */
export const collection = <
  Schema extends ResourceSchema,
  OwnFields extends Fields = Record<never, never>,
>(
  table: CollectionId,
  schema: Schema,
  own?: OwnFields,
) => {
  type Resource = v.InferOutput<Schema>
  type Values = Omit<Resource & Own<OwnFields>, 'id'>
  type Stored = Item & Resource & Own<OwnFields>

  const title = v.getTitle(schema)?.toLowerCase() ?? table
  const fields: v.ObjectEntries = { ...schema.entries, ...own }
  const defaults = defaultsOf(fields)
  const required = Object.keys(schema.entries).filter(
    (name) => schema.entries[name]?.type !== 'optional',
  )

  const keyOf = (id: Int64): Key => ({ table, value: id })

  /** An item with its defaults. Throws an Error if an edit by hand has damaged it. */
  const asRead = (stored: Attributes): Attributes => {
    const item = { ...defaults, ...stored }
    const damaged =
      required.find((name) => item[name] === undefined) ??
      Object.keys(fields).find((name) => Number.isNaN(item[name]))
    if (damaged)
      throw new Error(
        `The item ${stored.id} of ${table} has no ${damaged}, or one that JavaScript would round.`,
      )
    return item
  }

  const itemOf = (item: Attributes): Attributes => {
    const stored = asRead(present(item))
    return present({ ...stored, ...partitions(table, stored) })
  }

  const put = (tx: Transaction, item: { id: number }, values: object): Revised<Stored> => {
    for (const [name, value] of Object.entries(values)) {
      const field = fields[name]
      // Without the value, which may be personal.
      if (!field || !(value === undefined || v.is(field, value)))
        throw new Error(`${name} of ${table} would get a value that its schema does not allow.`)
    }
    const stored = { ...itemOf({ ...item, ...values }), revision: tx.revision }
    tx.put(keyOf(item.id), stored)
    return { resource: stored as Stored, revision: tx.revision } // As it is read later.
  }

  /** Reads a resource as it is stored; `undefined` if there is none. */
  const find = async (tx: Transaction, id: Int64): Promise<Stored | undefined> => {
    const item = await tx.read(keyOf(id))
    return item && (asRead(item) as Stored) // As `put` has stored it.
  }

  /** As `find`, but throws an ApiError: 404 if there is none, 412 if `ifMatch` does not match. */
  const read = async (tx: Transaction, id: Int64, ifMatch?: IfMatch): Promise<Stored> => {
    const item = await find(tx, id)
    if (!item) throw notFound(`No ${title} has the id ${id}.`)
    if (Array.isArray(ifMatch) && !ifMatch.includes(etagOf(id, item.revision)))
      throw preconditionFailed(ifMatch.some((tag) => tag.startsWith('W/')))
    return item
  }

  return {
    fields,
    /** An item as this version stores it. Throws an Error if it cannot be read or stored so. */
    itemOf,
    find,
    read,

    /** Reads a resource and its revision. Throws an ApiError 404 if there is none. */
    get: async (tx: Transaction, id: Int64): Promise<Revised<Stored>> => {
      const resource = await read(tx, id)
      return { resource, revision: resource.revision }
    },

    /** Creates a resource. Throws an Error if a value breaks its schema. */
    create: async (tx: Transaction, values: Values) => put(tx, { id: newId() }, values),

    /** Changes a resource; `null` removes a field. Throws errors as `read` and `create` do. */
    change: async (tx: Transaction, id: Int64, changes: Changes<Values>, ifMatch?: IfMatch) => {
      const item = await read(tx, id, ifMatch)
      // JSON merge patch (RFC 7396): a field without a value stays, and null removes it.
      const given = Object.entries(changes).filter(([, value]) => value !== undefined)
      return put(tx, item, Object.fromEntries(given.map(([name, to]) => [name, to ?? undefined])))
    },

    /** Deletes a resource. Throws an ApiError as `read` does. */
    remove: async (tx: Transaction, id: Int64, ifMatch?: IfMatch): Promise<void> => {
      await read(tx, id, ifMatch)
      tx.remove(keyOf(id))
    },

    /** Stores a resource with an id that it has already, such as that of an example. */
    restore: (tx: Transaction, resource: Resource & Own<OwnFields>): void =>
      tx.put(keyOf(resource.id), itemOf(resource)),

    /**
     * Reads a page of a list (eventually consistent). Throws an Error for a filter without an
     * index, and for two filters: an index has the values of one field.
     */
    list: async (
      tx: Transaction,
      { limit, cursor, filter = {} }: ListQuery<Resource>,
    ): Promise<Page<Stored>> => {
      const filters = Object.entries(present(filter)).map(([field, value]) => ({ field, value }))
      const indexed: readonly string[] = collections[table]
      if (filters.length > 1 || filters.some(({ field }) => !indexed.includes(field)))
        throw new Error(`A list of ${table} can be filtered by one of ${indexed.join() || 'none'}.`)
      const { items, next } = await tx.list({ table, limit, cursor, filter: filters[0] })
      return { items: items.map((item) => asRead(item) as Stored), next }
    },
  }
}

/** The literal defaults of fields, for items that were stored before a field existed. */
const defaultsOf = (fields: v.ObjectEntries): Attributes => {
  const defaults: Attributes = {}
  for (const [name, field] of Object.entries(fields)) {
    const value = v.getDefault(field)
    if (value !== undefined) defaults[name] = value
  }
  return defaults
}

/** The attributes that are not `undefined`. */
const present = (attributes: object): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
