import * as v from 'valibot'
import { notFound, preconditionFailed } from '../model/api-error.ts'
import { type IfMatch, type Revised, tagOf } from '../model/etag.ts'
import { newId } from '../model/id.ts'
import type { Int64 } from '../model/int64.ts'
import type { AtMostOne } from '../model/paging.ts'
import { collections } from '../service.ts'
import type { Item, Key } from './database.ts'
import type { Page, PageQuery } from './page.ts'
import type { Attributes } from './shards.ts'
import { itemForm } from './stored-item.ts'
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
  const form = itemForm(table, schema.entries, own, derived)
  const title = v.getTitle(schema)?.toLowerCase() ?? table

  // The casts say what `put` has stored.
  const asResource = (item: Attributes) => form.returned(item) as Resource

  const keyOf = (id: Int64): Key => ({ table, value: id })

  /** Reads a resource as it is stored; `undefined` if there is none. */
  const find = async (tx: Transaction, id: Int64): Promise<Stored | undefined> => {
    const item = await tx.read(keyOf(id))
    return item && (form.read(item) as Stored)
  }

  /** As `find`, but throws an ApiError: 404 if there is none, 412 if `ifMatch` does not match. */
  const read = async (tx: Transaction, id: Int64, ifMatch?: IfMatch): Promise<Stored> => {
    const item = await find(tx, id)
    if (!item) throw notFound(`No ${title} has the id ${id}.`)
    if (Array.isArray(ifMatch) && !ifMatch.includes(tagOf(id, item.revision)))
      throw preconditionFailed(ifMatch.some((tag) => tag.startsWith('W/')))
    return item
  }

  const put = (tx: Transaction, item: { id: number }, changes: object): Revised<Resource> => {
    form.check(changes)
    const stored = form.stored({ ...item, ...changes })
    tx.put(keyOf(item.id), stored)
    return { resource: asResource(stored), revision: tx.revision }
  }

  return {
    fields: form.fields,
    /** An item as this version stores it. Throws an Error if it cannot be read or stored so. */
    itemOf: form.stored,
    keyOf,
    find,
    read,

    /** Reads a resource as it is returned. Throws an ApiError 404 if there is none. */
    get: async (tx: Transaction, id: Int64): Promise<Revised<Resource>> => {
      const item = await read(tx, id)
      return { resource: asResource(item), revision: item.revision }
    },

    /** Creates a resource. Throws an Error if a value breaks its schema, a 413 if too large. */
    create: async (tx: Transaction, values: Omit<Given, 'id'> & NotSet) =>
      put(tx, { id: newId() }, values),

    /** Changes a resource; `null` removes a field. Throws errors as `read` and `create` do. */
    change: async (
      tx: Transaction,
      id: Int64,
      changes: Changes<Omit<Given, 'id'>> & NotSet,
      ifMatch?: IfMatch,
    ) => {
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

    /**
     * Reads a page of a list (eventually consistent): the newest `limit` (1 to 100) resources with
     * ids below `cursor` and above `after`. Large resources make it shorter.
     */
    list: async <Query extends ListQuery & AtMostOne<Pick<Stored, FilterOf<Id> & keyof Stored>>>(
      tx: Transaction,
      // Anything else would be ignored, and the list would have too much.
      query: Query & { [Other in Exclude<keyof Query, keyof ListQuery | FilterOf<Id>>]: never },
    ): Promise<Page<Resource>> => {
      const { limit, cursor, after, ...filters }: ListQuery & Attributes = query
      const field = collections[table].find((name) => filters[name] !== undefined)
      const filter = field && { field, value: filters[field] }
      const { items, next } = await tx.list({ table, limit, cursor, after, filter })
      return { items: items.map((item) => asResource(form.read(item))), next }
    },
  }
}
