import * as v from 'valibot'
import { notFound, preconditionFailed } from '../model/api-error.ts'
import { type IfMatch, type Revised, tagOf } from '../model/etag.ts'
import { newId } from '../model/id.ts'
import type { Intent } from '../model/idempotency-key.ts'
import type { Int64 } from '../model/int64.ts'
import { stringifyJson } from '../model/json.ts'
import type { AtMostOne } from '../model/paging.ts'
import type { Item, Key } from './database.ts'
import { type Attributes, type Page, pageOf, partitionsOf, type Query } from './page.ts'
import { createdFor, reserve } from './reservations.ts'
import type { CollectionId, FilterOf } from './tables.ts'
import { inside, type Transaction } from './transaction.ts'

/** The schema of a resource. A collection stores its `id`, `shard`, `revision` and a `<field>Shard` for each filter itself. */
type ResourceSchema<Id extends CollectionId> = v.GenericSchema<unknown, { id: number }> & {
  entries: v.ObjectEntries & { [Field in 'shard' | 'revision' | `${FilterOf<Id>}Shard`]?: never }
}

/** What is known of a collection without its types: the schemas of its fields, and an item as this version stores it. */
export type StoredResource = { fields: v.ObjectEntries; itemOf: (item: Attributes) => Attributes }

/** The fields to filter a list by, of which a list has at most one. */
type Filter<Fields, Field extends keyof Fields> = [Field] extends [never] ? unknown : AtMostOne<Pick<Fields, Field>>

/**
 * The resources in a table, with the fields of the `schema`. `own` are fields that are stored and never returned. Items of an
 * earlier version get the defaults of the schema, and what `older` returns for them: it only adds the fields that an item lacks,
 * the same each time, because other versions may need the rest. Functions that take a transaction become a part of it.
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

  const entries = Object.entries<v.GenericSchema & { default?: unknown }>(schema.entries)
  const defaults = present(Object.fromEntries(entries.map(([name, field]) => [name, field.default])))

  const keyOf = (id: Int64): Key => ({ table, value: id })

  /** An item with what it lacks. Throws an Error if it cannot be read, because somebody has edited it. */
  const complete = (item: Attributes): Attributes => {
    const all: Attributes = { ...defaults, ...older?.(item), ...item }
    for (const [name, { type }] of entries)
      if (Number.isNaN(all[name]) || (all[name] === undefined && !type.endsWith('optional')))
        throw new Error(`The item ${item.id} of ${table} has no ${name}, or one that JavaScript would round.`)
    return all
  }

  /** An item as this version stores it, from one with what has changed. */
  const itemOf = (changed: Attributes): Attributes => {
    const item = complete(present(changed))
    return present({ ...item, ...partitionsOf(table, item) })
  }

  const resourceOf = (item: Attributes): Resource =>
    present(Object.fromEntries(entries.map(([name]) => [name, item[name]]))) as Resource // As it was stored.

  const revised = (item: Attributes, revision: string): Revised<Resource> => ({ resource: resourceOf(item), revision })

  const put = (tx: Transaction, item: Attributes & { id: number }): Revised<Resource> => {
    const stored = itemOf(item)
    const result = revised(stored, tx.revision)
    keepPromise(tx, item.id, result.resource)
    tx.put(keyOf(item.id), stored)
    return result
  }

  /** Reads a resource as it is stored; `undefined` if there is none. */
  const find = async (id: Int64, tx: Transaction): Promise<Stored | undefined> => {
    const item = await tx.read(keyOf(id))
    return item && (complete(item) as Stored) // As `put` stores it.
  }

  /** Reads a resource as `find` does. Throws an ApiError: 404 if there is none, 412 if `ifMatch` does not name its revision. */
  const read = async (id: Int64, ifMatch: IfMatch | undefined, tx: Transaction): Promise<Stored> => {
    const item = await find(id, tx)
    if (!item) throw notFound(`No ${v.getTitle(schema)?.toLowerCase()} has the id ${id}.`)
    if (Array.isArray(ifMatch) && !ifMatch.includes(tagOf(id, item.revision)))
      throw preconditionFailed(ifMatch.some((tag) => tag.startsWith('W/')))
    return item
  }

  return {
    fields: { ...schema.entries, ...own },
    itemOf,
    keyOf,
    find,
    read,

    /** Reads one resource (strongly consistent). Throws an ApiError 404 if there is none. */
    get: (id: Int64, tx?: Transaction) =>
      inside(tx, async (tx) => {
        const item = await read(id, undefined, tx)
        return revised(item, item.revision)
      }),

    /**
     * Creates a resource. All calls with the same intent within 24 hours create one, and return it as it was then; `isReplay`
     * is true if an earlier call created it. Throws an ApiError 422 if the intent was that of another request. Rules of its
     * own must not change what a resource with an intent returns in the same transaction.
     */
    create: (values: Omit<Fields, 'id'>, intent?: Intent, tx?: Transaction) =>
      inside(tx, async (tx) => {
        if (intent && promised.has(tx)) throw new Error('An intent is for one create.')
        const created = intent && (await createdFor(intent, tx))
        // As it was returned then, which may have been by an earlier version.
        if (created) return { ...(created as Revised<Resource>), isReplay: true }
        const result = put(tx, { ...values, id: newId() })
        if (intent) {
          reserve(intent, result.resource, tx)
          promised.set(tx, result.resource)
        }
        return { ...result, isReplay: false }
      }),

    /**
     * Changes a resource, and returns it. A field that is `null` is removed. Throws an ApiError as `read` does; then nothing
     * has happened.
     */
    change: (id: Int64, changes: Changes, ifMatch?: IfMatch, tx?: Transaction) =>
      inside(tx, async (tx) => {
        const given = Object.entries(present(changes)).map(([name, value]) => [name, value ?? undefined])
        return put(tx, { ...(await read(id, ifMatch, tx)), ...Object.fromEntries(given) })
      }),

    /** Deletes a resource. Throws an ApiError as `change` does. */
    remove: (id: Int64, ifMatch?: IfMatch, tx?: Transaction): Promise<void> =>
      inside(tx, async (tx) => {
        await read(id, ifMatch, tx)
        keepPromise(tx, id)
        tx.remove(keyOf(id))
      }),

    /**
     * Reads a page of a list (eventually consistent). What it costs does not depend on the number of resources. A page of large
     * resources has fewer than `limit`.
     */
    list: <Given extends Query & Filter<Fields, FilterOf<Id> & keyof Fields>>(
      // Anything else would be ignored, and the list would have too much.
      query: Given & { [Other in Exclude<keyof Given, keyof Query | FilterOf<Id>>]: never },
    ): Promise<Page<Resource>> =>
      pageOf(table, query).then(({ items, next }) => ({ items: items.map(complete).map(resourceOf), next })),
  }
}

/** What a transaction has created with an intent. Each replay returns it. */
const promised = new WeakMap<Transaction, { id: number }>()

/** Throws an Error if what a transaction does to a resource would make a replay differ from the first response. */
const keepPromise = (tx: Transaction, id: Int64, resource?: object): void => {
  const created = promised.get(tx)
  if (created?.id === id && stringifyJson(created) !== stringifyJson(resource))
    throw new Error(`The transaction that creates ${id} for an intent must not change what it returns.`)
}

/** The attributes that are not `undefined`. */
const present = (attributes: object): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
