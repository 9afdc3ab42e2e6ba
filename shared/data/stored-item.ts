import * as v from 'valibot'
import { stringifyJson } from '../model/json.ts'
import { type Attributes, partitions } from './shards.ts'
import type { CollectionId } from './tables.ts'

/** What the items of a collection are made of. */
export type Definition = {
  table: CollectionId
  /** The schema of the resource: its fields are returned, and those that are not optional are always there. */
  schema: v.GenericSchema & { entries: v.ObjectEntries }
  /** The schemas of the fields that functions set. */
  fields: v.ObjectEntries
  /** The fields that follow from these: the schema of each, and the function that computes it. */
  derived: Readonly<Record<string, readonly [v.GenericSchema, (fields: never) => unknown]>>
}

/**
 * An item as it is read: with the defaults of fields that it lacks, and with derived fields computed anew, because a version
 * that does not know them may have stored it. Throws an Error if it cannot be read, because somebody has edited it.
 */
export const itemAsRead = (definition: Definition, stored: Attributes): Attributes => {
  const { table, schema, fields } = definition
  const given = { ...stored }
  for (const [name, field] of Object.entries(fields)) given[name] ??= v.getDefault(field)
  const item = present({ ...given, ...derivedFields(definition, given) })
  for (const [name, { type }] of Object.entries<v.ObjectEntries[string]>({ ...fields, ...schema.entries })) {
    const isRequired = name in schema.entries && !type.endsWith('optional')
    if (Number.isNaN(item[name]) || (isRequired && item[name] === undefined))
      throw new Error(`The item ${stored.id} of ${table} has no ${name}, or one that JavaScript would round.`)
  }
  return item
}

/** The fields of an item that are returned. */
export const returnedFields = ({ schema }: Definition, item: Attributes): Attributes =>
  present(Object.fromEntries(Object.keys(schema.entries).map((name) => [name, item[name]])))

/** An item as this version stores it, in the partitions of its indexes. Throws an Error if a derived field breaks its schema. */
export const itemAsStored = (definition: Definition, item: Attributes): Attributes => {
  const { table, derived } = definition
  const stored = itemAsRead(definition, item)
  for (const [name, [schema]] of Object.entries(derived))
    if (stored[name] !== undefined) checkValue(table, name, schema, stored[name])
  return present({ ...stored, ...partitions(table, stored) })
}

/** Throws an Error if a function sets a field that there is not, or gives it a value that its schema does not allow. */
export const checkChanges = ({ table, fields }: Definition, changes: Attributes): void => {
  for (const [name, value] of Object.entries(changes)) {
    const schema = fields[name]
    if (!schema) throw new Error(`${name} of ${table} cannot be set: it is derived, or there is no such field.`)
    if (value !== undefined) checkValue(table, name, schema, value)
  }
}

const checkValue = (table: CollectionId, name: string, schema: v.ObjectEntries[string], value: unknown): void => {
  if (v.is(schema, value)) return
  throw new Error(`${name} of ${table} cannot be ${stringifyJson(value)}.`)
}

const derivedFields = ({ fields, derived }: Definition, item: Attributes): Attributes => {
  const given = Object.fromEntries(Object.keys(fields).map((name) => [name, item[name]]))
  const entries = Object.entries(derived).map(([name, [, compute]]) => [name, compute(given as never)])
  return Object.fromEntries(entries)
}

/** The attributes that are not `undefined`. */
export const present = (attributes: object): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
