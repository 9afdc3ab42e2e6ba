import * as v from 'valibot'
import { preconditionFailed, unknownId } from '../model/api-error.ts'
import { etagOf, type IfMatch } from '../model/etag.ts'
import { newId } from '../model/id.ts'
import type { Int64 } from '../model/int64.ts'
import { hasJsonType } from '../model/resource-schema.ts'
import { filters } from '../service.ts'
import { DamagedItem, reportDamage } from './damaged-item.ts'
import { type Attributes, indexKeys } from './indexes.ts'
import type { Item, Key } from './items.ts'
import type { Page } from './list.ts'
import type { CollectionId } from './tables.ts'
import type { Transaction } from './transaction.ts'

/** The schema of what is stored. `never` refuses fields with names that this file adds. */
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
  const asStored = (item: Attributes): Stored => {
    try {
      return withDefaults(definition, item) as Stored // Its values have the types of the schema.
    } catch (error) {
      if (error instanceof DamagedItem) reportDamage(error)
      throw error
    }
  }

  /** A list leaves a damaged item out: one item must not take it away from everybody. */
  const asListed = (item: Attributes): Stored[] => {
    try {
      return [asStored(item)]
    } catch (error) {
      if (error instanceof DamagedItem) return []
      throw error
    }
  }

  /** An `undefined` value removes its field. */
  const put = (tx: Transaction, item: { id: number }, values: object): Stored => {
    checkValues(definition, values)
    const { revision } = tx
    const stored = { ...itemToStore(definition, { ...item, ...values }), revision }
    tx.put(keyOf(item.id), stored)
    return stored as Stored // Its values fit the schema, or were read.
  }

  const find = async (tx: Transaction, id: Int64): Promise<Stored | undefined> => {
    const item = await tx.read(keyOf(id))
    return item && asStored(item)
  }

  const get = async (tx: Transaction, id: Int64, ifMatch?: IfMatch): Promise<Stored> => {
    const resource = await find(tx, id)
    if (!resource) throw unknownId(title, id)
    if (Array.isArray(ifMatch) && !ifMatch.includes(etagOf(id, resource.revision)))
      throw preconditionFailed(ifMatch.some((etag) => etag.startsWith('W/')))
    return resource
  }

  return {
    fields: definition.fields,

    /** An item as this version stores it. Throws a DamagedItem if it cannot be read. */
    itemOf: (item: Attributes): Attributes => itemToStore(definition, item),

    /** Reads a resource as it is stored; `undefined` if there is none. */
    find,

    /** As `find`, but throws an ApiError: 404 if there is none, 412 if `ifMatch` does not match. */
    get,

    /** Creates a resource. Throws an Error if a value breaks its schema. */
    create: async (tx: Transaction, values: Values) => put(tx, { id: newId() }, values),

    /** Changes a resource; `null` removes a field. Throws errors as `get` and `create` do. */
    change: async (
      tx: Transaction,
      id: Int64,
      changes: Changes,
      ifMatch: IfMatch | undefined,
    ): Promise<Stored> => {
      const resource = await get(tx, id, ifMatch)
      return put(tx, resource, patchedValues(changes))
    },

    /** Deletes a resource. Throws an ApiError as `get` does. */
    remove: async (tx: Transaction, id: Int64, ifMatch: IfMatch | undefined): Promise<void> => {
      await get(tx, id, ifMatch)
      tx.remove(keyOf(id))
    },

    /** Stores a resource with an id that it has already, such as that of an example. */
    restore: (tx: Transaction, resource: Resource): void =>
      tx.put(keyOf(resource.id), itemToStore(definition, resource)),

    /**
     * Reads a page of a list (eventually consistent): the newest `limit` (1 to 100) resources with
     * ids below `cursor`, and with the value of one field, without those that are damaged. Throws
     * an Error for another filter.
     */
    list: async (
      tx: Transaction,
      page: { limit: number; cursor?: number | undefined; filter?: Filter },
    ): Promise<Page<Stored>> => {
      const filter = indexedFilter(table, page.filter ?? {})
      const { items, next } = await tx.list({ ...page, table, filter })
      return { items: items.flatMap(asListed), next }
    },
  }
}

/** `null` removes a field that may be absent. */
type Removable<Value> = undefined extends Value ? Value | null : Value

type Definition = { table: CollectionId; fields: v.ObjectEntries }

/**
 * An item with the defaults of the fields that it was stored without. Throws a DamagedItem if it
 * lacks a field without a default, or has one of another JSON type.
 */
const withDefaults = ({ table, fields }: Definition, stored: Attributes): Attributes => {
  const item = { ...stored }
  for (const [name, field] of Object.entries(fields)) {
    const { [name]: value = v.getDefault(field) } = stored
    if (!hasJsonType(field, value)) throw new DamagedItem(table, stored.id, name, value)
    item[name] = value
  }
  return withoutUndefined(item)
}

const itemToStore = (definition: Definition, item: Attributes): Attributes => {
  const stored = withDefaults(definition, item)
  return withoutUndefined({ ...stored, ...indexKeys(filters[definition.table], stored) })
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
  const given = Object.entries(withoutUndefined(changes))
  return Object.fromEntries(
    given.map(([name, value]) => [name, value === null ? undefined : value]),
  )
}

/** The one filter, if any. Throws an Error for two, or for a field that has no index. */
const indexedFilter = (table: CollectionId, filter: object) => {
  const [first, ...others] = Object.entries(withoutUndefined(filter))
  const indexed: readonly string[] = filters[table]
  if (!first) return undefined
  const [field, value] = first
  if (others.length > 0 || !indexed.includes(field))
    throw new Error(`A list of ${table} can be filtered by one of ${indexed.join() || 'none'}.`)
  return { field, value }
}

const withoutUndefined = (attributes: object): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
