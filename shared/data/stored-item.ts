import * as v from 'valibot'
import { stringifyJson } from '../model/json.ts'
import { type Attributes, partitions } from './shards.ts'
import type { CollectionId } from './tables.ts'

/** What the items of a collection have. */
export type Definition = {
  table: CollectionId
  /** The fields that functions set. */
  fields: v.ObjectEntries
  /** The names of the fields that each item has. */
  required: string[]
  /** The fields that follow from these. */
  derived: Readonly<Record<string, Derivation>>
}

/** The schema of a derived field, and the function that computes it from the fields that are not derived. */
export type Derivation = readonly [schema: v.GenericSchema, compute: (fields: never) => unknown]

/**
 * An item as it is read: with the defaults of fields that it lacks, and with derived fields computed anew, because a version
 * that does not know them may have stored it. Throws an Error if it cannot be read, because somebody has edited it.
 */
export const itemAsRead = (definition: Definition, stored: Attributes): Attributes => {
  const { table, fields, required } = definition
  const given = { ...stored }
  for (const [name, schema] of Object.entries(fields)) if (given[name] === undefined) given[name] = v.getDefault(schema)
  const item = present({ ...given, ...derivedFields(definition, given) })
  for (const name of new Set([...Object.keys(fields), ...required])) {
    const isMissing = item[name] === undefined && required.includes(name)
    if (isMissing || Number.isNaN(item[name]))
      throw new Error(`The item ${stored.id} of ${table} has no ${name}, or one that JavaScript would round.`)
  }
  return item
}

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
