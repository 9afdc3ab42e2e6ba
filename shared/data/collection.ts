import * as v from 'valibot'
import { notFound, preconditionFailed } from '../model/api-error.ts'
import { etagOf, type IfMatch, type Revised } from '../model/etag.ts'
import { newId } from '../model/id.ts'
import type { Int64 } from '../model/int64.ts'
import { collections } from '../service.ts'
import type { Item, Key } from './database.ts'
import { type Attributes, partitions } from './indexes.ts'
import type { Page } from './list.ts'
import type { CollectionId } from './tables.ts'
import type { Transaction } from './transaction.ts'

/** The schema of what is stored. No field has the name of an attribute that is added here. */
type ResourceSchema<Resource> = v.GenericSchema<unknown, Resource> & { entries: Fields }

type Fields = v.ObjectEntries & { [Name in 'shard' | 'revision' | `${string}Shard`]?: never }

/** What works with any collection uses: its fields, and an item as this version stores it. */
export type AnyCollection = { fields: v.ObjectEntries; itemOf: (item: Attributes) => Attributes }

/**
 * The resources in a table, with the fields of a schema. Clients see only those that the schema of
 * a response has, too. A field that is `undefined` is absent.
 */
export const collection = <Resource extends { id: number }>(
  table: CollectionId,
  schema: ResourceSchema<Resource>,
) => {
  // Named here, so that editors show their names.
  type Stored = Item & Resource
  type Values = { [Name in keyof Resource as Exclude<Name, 'id'>]: Resource[Name] }
  type Changes = { [Name in keyof Values]?: Removable<Values[Name]> | undefined }
  type Filter = { [Name in keyof Resource]?: Resource[Name] | undefined }

  const title = v.getTitle(schema)?.toLowerCase() ?? table
  const definition: Definition = { table, fields: schema.entries }
  const keyOf = (id: Int64): Key => ({ table, value: id })
  // A cast, because the item was stored so.
  const asRead = (item: Attributes) => withDefaults(definition, item) as Stored

  const put = (tx: Transaction, item: { id: number }, values: object): Revised<Stored> => {
    checkValues(definition, values)
    const { revision } = tx
    const stored = { ...itemToStore(definition, { ...item, ...values }), revision }
    tx.put(keyOf(item.id), stored)
    return { resource: asRead(stored), revision }
  }

  const find = async (tx: Transaction, id: Int64): Promise<Stored | undefined> => {
    const item = await tx.read(keyOf(id))
    return item && asRead(item)
  }

  const read = async (tx: Transaction, id: Int64, ifMatch?: IfMatch): Promise<Stored> => {
    const item = await find(tx, id)
    if (!item) throw notFound(`No ${title} has the id ${id}.`)
    if (Array.isArray(ifMatch) && !ifMatch.includes(etagOf(id, item.revision)))
      throw preconditionFailed(ifMatch.some((etag) => etag.startsWith('W/')))
    return item
  }

  return {
    fields: definition.fields,

    /** An item as this version stores it. Throws an Error if it cannot be read or stored so. */
    itemOf: (item: Attributes): Attributes => itemToStore(definition, item),

    /** Reads a resource as it is stored; `undefined` if there is none. */
    find,

    /** As `find`, but throws an ApiError: 404 if there is none, 412 if `ifMatch` does not match. */
    read,

    /** Reads a resource and its revision. Throws an ApiError 404 if there is none. */
    get: async (tx: Transaction, id: Int64): Promise<Revised<Stored>> => {
      const resource = await read(tx, id)
      return { resource, revision: resource.revision }
    },

    /** Creates a resource. Throws an Error if a value breaks its schema. */
    create: async (tx: Transaction, values: Values) => put(tx, { id: newId() }, values),

    /** Changes a resource; `null` removes a field. Throws errors as `read` and `create` do. */
    change: async (tx: Transaction, id: Int64, changes: Changes, ifMatch?: IfMatch) => {
      const item = await read(tx, id, ifMatch)
      return put(tx, item, patchedValues(changes))
    },

    /** Deletes a resource. Throws an ApiError as `read` does. */
    remove: async (tx: Transaction, id: Int64, ifMatch?: IfMatch): Promise<void> => {
      await read(tx, id, ifMatch)
      tx.remove(keyOf(id))
    },

    /** Stores a resource with an id that it has already, such as that of an example. */
    restore: (tx: Transaction, resource: Resource): void =>
      tx.put(keyOf(resource.id), itemToStore(definition, resource)),

    /**
     * Reads a page of a list (eventually consistent): the newest `limit` (1 to 100) resources with
     * ids below `cursor`, and with the value of one field. Throws an Error for another filter.
     */
    list: async (
      tx: Transaction,
      page: { limit: number; cursor?: number | undefined; filter?: Filter },
    ): Promise<Page<Stored>> => {
      const filter = indexedFilter(table, page.filter ?? {})
      const { items, next } = await tx.list({ ...page, table, filter })
      return { items: items.map(asRead), next }
    },
  }
}

/** `null` removes a field that may be absent. */
type Removable<Value> = undefined extends Value ? Value | null : Value

type Definition = { table: CollectionId; fields: v.ObjectEntries }

/**
 * An item with the defaults of the fields that it was stored without. Throws an Error if an edit by
 * hand has damaged it.
 */
const withDefaults = ({ table, fields }: Definition, stored: Attributes): Attributes => {
  const item = { ...stored }
  for (const [name, field] of Object.entries(fields)) {
    const { [name]: value = v.getDefault(field) } = stored
    if (value === undefined && field.type !== 'optional')
      throw new Error(`The item ${stored.id} of ${table} has no ${name}.`)
    if (Number.isNaN(value))
      // As `exactNumber` reads it.
      throw new Error(
        `The item ${stored.id} of ${table} has a ${name} that JavaScript would round.`,
      )
    item[name] = value
  }
  return present(item)
}

const itemToStore = (definition: Definition, item: Attributes): Attributes => {
  const stored = withDefaults(definition, item)
  return present({ ...stored, ...partitions(collections[definition.table], stored) })
}

/** Throws an Error if a value breaks the schema of its field. */
const checkValues = ({ table, fields }: Definition, values: object): void => {
  for (const [name, value] of Object.entries(values)) {
    const field = fields[name]
    // Without the value, which may be personal.
    if (!field || !v.is(field, value))
      throw new Error(`${name} of ${table} would get a value that its schema does not allow.`)
  }
}

/** JSON merge patch (RFC 7396): a field without a value stays, and null removes it. */
const patchedValues = (changes: object): Attributes => {
  const given = Object.entries(present(changes))
  return Object.fromEntries(
    given.map(([name, value]) => [name, value === null ? undefined : value]),
  )
}

/** The one filter, if any. Throws an Error for two, because an index has one field, or no index. */
const indexedFilter = (table: CollectionId, filter: object) => {
  const [first, ...others] = Object.entries(present(filter))
  const indexed: readonly string[] = collections[table]
  if (!first) return undefined
  const [field, value] = first
  if (others.length > 0 || !indexed.includes(field))
    throw new Error(`A list of ${table} can be filtered by one of ${indexed.join() || 'none'}.`)
  return { field, value }
}

/** The attributes that are not `undefined`. */
const present = (attributes: object): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
