import * as v from 'valibot'
import { type Attributes, partitions } from './shards.ts'
import type { CollectionId } from './tables.ts'

/** What the items of a collection are made of. */
export type Definition = {
  table: CollectionId
  title: string
  /** The names of the fields that are returned, and of those that each item has. */
  returned: string[]
  required: string[]
  /**
   * The schemas of the fields that functions set, and the defaults of those that an item may lack.
   */
  fields: v.ObjectEntries
  defaults: Attributes
  derived: Derived[]
}

/** A field that follows from those that functions set. */
type Derived = { name: string; schema: Schema; compute: (fields: never) => unknown }

type Schema = v.ObjectEntries[string]

/** Defines items by the fields of the resource, fields that are not returned, and derived ones. */
export const defineItem = (
  table: CollectionId,
  resource: v.GenericSchema & { entries: v.ObjectEntries },
  own: v.ObjectEntries,
  derivations: Readonly<Record<string, readonly [Schema, Derived['compute']]>>,
): Definition => {
  const returned = Object.keys(resource.entries)
  const fields = { ...resource.entries, ...own }
  for (const name of Object.keys(derivations)) delete fields[name]
  const defaults: Attributes = {}
  for (const [name, schema] of Object.entries<Schema>(fields)) {
    const value = v.getDefault(schema)
    if (value !== undefined) defaults[name] = value
  }
  return {
    table,
    title: v.getTitle(resource)?.toLowerCase() ?? table,
    returned,
    required: returned.filter((name) => !resource.entries[name]?.type.endsWith('optional')),
    fields,
    defaults,
    derived: Object.entries(derivations).map(([name, [schema, compute]]) => ({
      name,
      schema,
      compute,
    })),
  }
}

/**
 * An item as it is read: with defaults, and with derived fields computed anew, because another
 * version may have stored it. Throws an Error if somebody has edited it so that it cannot be read.
 */
export const itemAsRead = (definition: Definition, stored: Attributes): Attributes => {
  const { table, required, fields, defaults, derived } = definition
  const given = { ...defaults, ...stored }
  for (const { name } of derived) delete given[name]
  const item = { ...given }
  for (const { name, compute } of derived) item[name] = compute(given as never)
  const damaged =
    required.find((name) => item[name] === undefined) ??
    Object.keys(fields).find((name) => Number.isNaN(item[name]))
  if (damaged)
    throw new Error(
      `The item ${stored.id} of ${table} has no ${damaged}, or one that JavaScript would round.`,
    )
  return item
}

/** The fields of an item that are returned. */
export const returnedFields = ({ returned }: Definition, item: Attributes): Attributes => {
  const resource: Attributes = {}
  for (const name of returned) if (item[name] !== undefined) resource[name] = item[name]
  return resource
}

/**
 * An item as this version stores it, in the partitions of its indexes. Throws an Error if a derived
 * field breaks its schema.
 */
export const itemAsStored = (definition: Definition, item: Attributes): Attributes => {
  const { table, derived } = definition
  const stored = itemAsRead(definition, present(item))
  for (const { name, schema } of derived) checkValue(table, name, schema, stored[name])
  return present({ ...stored, ...partitions(table, stored) })
}

/** Throws an Error for an unknown or derived field, or a value that breaks its schema. */
export const checkChanges = ({ table, fields }: Definition, changes: Attributes): void => {
  for (const [name, value] of Object.entries(changes)) {
    const schema = fields[name]
    if (!schema)
      throw new Error(
        `${name} of ${table} cannot be set: it is derived, or there is no such field.`,
      )
    checkValue(table, name, schema, value)
  }
}

// Without the value, which may be personal.
const checkValue = (table: CollectionId, name: string, schema: Schema, value: unknown): void => {
  if (value !== undefined && !v.is(schema, value))
    throw new Error(`${name} of ${table} would get a value that its schema does not allow.`)
}

/** The attributes that are not `undefined`. */
export const present = (attributes: object): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
