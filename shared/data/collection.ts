import * as v from 'valibot'
import { preconditionFailed, unknownId } from '../model/api-error.ts'
import { etagOf, type IfMatch } from '../model/etag.ts'
import { newId } from '../model/id.ts'
import type { Int64 } from '../model/int64.ts'
import { filters } from '../service.ts'
import { type Attributes, indexKeys } from './indexes.ts'
import type { Page } from './list.ts'
import type { CollectionId } from './tables.ts'
import type { Transaction } from './transaction.ts'
import type { Item, Key } from './transaction-store.ts'

/** The schema of what is stored. `never` refuses fields with names that this file adds. */
type ResourceSchema<Resource> = v.GenericSchema<unknown, Resource> & { entries: Fields }

type Fields = v.ObjectEntries & { [Name in 'shard' | 'revision' | `${string}Shard`]?: never }

/** What works with any collection uses: its fields, and an item as this version stores it. */
export type AnyCollection = {
  fields: v.ObjectEntries
  upgradedItem: (item: Attributes) => Attributes
}

type Stored<Resource> = Item & Resource
type Values<Resource> = Omit<Resource, 'id'>
type Filter<Resource> = { [Name in keyof Resource]?: Resource[Name] | undefined }
type Changes<Resource> = {
  [Name in keyof Values<Resource>]?: Removable<Resource[Name]> | undefined
}

/** `null` removes a field that may be absent. */
type Removable<Value> = undefined extends Value ? Value | null : Value

/**
 * The resources in a table, with the fields of a schema. Clients see only those that the schema of
 * a response has, too. A field that is `undefined` is absent.
 */
export const collection = <Resource extends { id: number }>(
  table: CollectionId,
  schema: ResourceSchema<Resource>,
) => {
  const title = v.getTitle(schema)?.toLowerCase() ?? table
  const definition: Definition = { table, schema }
  const keyOf = (id: Int64): Key => ({ table, value: id })

  /** A list leaves a damaged item out: one item must not take it away from everybody. */
  const readListed = (item: Attributes): Stored<Resource>[] => {
    try {
      return [readItem(definition, item) as Stored<Resource>] // Its values have these types.
    } catch (error) {
      console.error(`A list leaves an item out: ${error}`)
      return []
    }
  }

  /** An `undefined` value removes its field. */
  const put = (tx: Transaction, item: { id: number }, values: object): Stored<Resource> => {
    const written = { ...item, ...values, revision: tx.revision }
    const stored = upgradedItem(definition, written, Object.keys(values))
    tx.put(keyOf(item.id), stored)
    return stored as Stored<Resource> // Its values fit the schema, or were read.
  }

  const find = async (tx: Transaction, id: Int64): Promise<Stored<Resource> | undefined> => {
    const item = await tx.read(keyOf(id))
    return item && (readItem(definition, item) as Stored<Resource>)
  }

  const get = async (tx: Transaction, id: Int64, ifMatch?: IfMatch): Promise<Stored<Resource>> => {
    const resource = await find(tx, id)
    if (!resource) throw unknownId(title, id)
    if (Array.isArray(ifMatch) && !ifMatch.includes(etagOf(id, resource.revision)))
      throw preconditionFailed(ifMatch.some((etag) => etag.startsWith('W/')))
    return resource
  }

  return {
    fields: schema.entries,

    /** An item as this version stores it. Throws an Error if it is damaged. */
    upgradedItem: (item: Attributes): Attributes => upgradedItem(definition, item),

    /** Reads a resource as it is stored; `undefined` if there is none. */
    find,

    /** As `find`, but throws an ApiError: 404 if there is none, 412 if `ifMatch` does not match. */
    get,

    /** Stores a resource with the id that it has, which must be free, or have been read. */
    putWithId: (tx: Transaction, resource: Resource): void => void put(tx, resource, {}),

    /** Creates a resource. Throws an Error if a value breaks its schema. */
    create: async (tx: Transaction, values: Values<Resource>) => put(tx, { id: newId() }, values),

    /** Changes a resource; `null` removes a field. Throws errors as `get` and `create` do. */
    change: async (
      tx: Transaction,
      id: Int64,
      changes: Changes<Resource>,
      ifMatch: IfMatch | undefined,
    ): Promise<Stored<Resource>> => {
      const resource = await get(tx, id, ifMatch)
      return put(tx, resource, patchedValues(changes))
    },

    /** Deletes a resource. Throws an ApiError as `get` does. */
    remove: async (tx: Transaction, id: Int64, ifMatch: IfMatch | undefined): Promise<void> => {
      await get(tx, id, ifMatch)
      tx.remove(keyOf(id))
    },

    /**
     * Reads a page of a list (eventually consistent): the newest `limit` (1 to 100) resources with
     * ids below `cursor`, and with the value of one field, without those that are damaged. Throws
     * an Error for two filters; DynamoDB refuses one that has no index.
     */
    list: async (
      tx: Transaction,
      page: { limit: number; cursor?: number | undefined; filter?: Filter<Resource> },
    ): Promise<Page<Stored<Resource>>> => {
      const filter = onlyFilter(page.filter ?? {})
      const { items, next } = await tx.list({ ...page, table, filter })
      return { items: items.flatMap(readListed), next }
    },
  }
}

type Definition = { table: CollectionId; schema: v.GenericSchema & { entries: v.ObjectEntries } }

/**
 * An item with the defaults of the fields that it was stored without. Throws an Error if a name in
 * `changed` is no field or breaks a rule, or if the item is damaged, as an edit by hand can leave
 * it: without a revision or a field that has no default, or with a value of another JSON type.
 */
const readItem = (
  { table, schema }: Definition,
  stored: Attributes,
  changed: readonly string[] = [],
): Attributes => {
  const { issues = [] } = v.safeParse(schema, stored)
  const issue = issues.find((each) => isOfType(each) || changed.includes(fieldOf(each)))
  const unknown = changed.find((name) => !Object.hasOwn(schema.entries, name))
  const field = unknown ?? (issue && fieldOf(issue))
  const damaged = typeof stored.revision === 'string' ? field : 'revision'
  // Without the value, which may be personal.
  if (damaged) throw new Error(`The item ${stored.id} of ${table} has no valid ${damaged}.`)
  return withoutUndefined({ ...Object(v.getDefaults(schema)), ...stored })
}

type Issue = v.BaseIssue<unknown>

const fieldOf = ({ path }: Issue): string => `${path?.[0].key}`

/** Whether an issue is about a JSON type. A release may have made a rule stricter than it was. */
const isOfType = ({ kind, type, input, expected, issues }: Issue): boolean => {
  if (kind !== 'schema') return false
  if (type === 'union') return issues?.every(isOfType) ?? true
  if (type !== 'picklist' && type !== 'literal') return true
  // It lists the values of its JSON type that this release takes.
  const isText = expected?.includes('"')
  return isText ? typeof input !== 'string' : !['number', 'boolean'].includes(typeof input)
}

const upgradedItem = (
  definition: Definition,
  stored: Attributes,
  changed?: readonly string[],
): Attributes => {
  const item = readItem(definition, stored, changed)
  return withoutUndefined({ ...item, ...indexKeys(filters[definition.table], item) })
}

/** JSON merge patch (RFC 7396): a field without a value stays, and null removes it. */
const patchedValues = (changes: object): Attributes => {
  const given = Object.entries(withoutUndefined(changes))
  return Object.fromEntries(
    given.map(([name, value]) => [name, value === null ? undefined : value]),
  )
}

/** The filter, if any. Each has an index of its own, so there is at most one. */
const onlyFilter = (filter: object) => {
  const [first, ...others] = Object.entries(withoutUndefined(filter))
  if (others.length > 0) throw new Error('A list can be filtered by one field.')
  return first && { field: first[0], value: first[1] }
}

const withoutUndefined = (attributes: object): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
