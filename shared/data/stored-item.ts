import * as v from 'valibot'
import { type Attributes, partitions } from './shards.ts'
import type { CollectionId } from './tables.ts'

type Schema = v.ObjectEntries[string]

/**
 * What the items of a collection are: the fields of the resource, fields that are not returned, and
 * those that follow from others, each with its schema and its function.
 */
export const itemForm = (
  table: CollectionId,
  resource: v.ObjectEntries,
  own: v.ObjectEntries,
  derived: Readonly<Record<string, readonly [Schema, (fields: never) => unknown]>>,
) => {
  const returned = Object.keys(resource)
  const required = returned.filter((name) => !resource[name]?.type.endsWith('optional'))
  const fields = { ...resource, ...own }
  for (const name of Object.keys(derived)) delete fields[name]
  const defaults: Attributes = {}
  for (const [name, schema] of Object.entries<Schema>(fields)) {
    const value = v.getDefault(schema)
    if (value !== undefined) defaults[name] = value
  }

  // Without the value, which may be personal.
  const checkValue = (name: string, schema: Schema, value: unknown): void => {
    if (value !== undefined && !v.is(schema, value))
      throw new Error(`${name} of ${table} would get a value that its schema does not allow.`)
  }

  /**
   * An item as it is read: with defaults, and with derived fields computed anew, because another
   * version may have stored it. Throws an Error if an edit by hand has damaged it.
   */
  const read = (stored: Attributes): Attributes => {
    const given = { ...defaults, ...stored }
    for (const name of Object.keys(derived)) delete given[name]
    const item = { ...given }
    for (const [name, [, compute]] of Object.entries(derived)) item[name] = compute(given as never)
    const damaged =
      required.find((name) => item[name] === undefined) ??
      Object.keys(fields).find((name) => Number.isNaN(item[name]))
    if (damaged)
      throw new Error(
        `The item ${stored.id} of ${table} has no ${damaged}, or one that JavaScript would round.`,
      )
    return item
  }

  return {
    /** The schemas of all fields. */
    fields: {
      ...fields,
      ...Object.fromEntries(Object.entries(derived).map(([name, [schema]]) => [name, schema])),
    },

    read,

    /** The fields of an item that are returned. */
    returned: (item: Attributes): Attributes => {
      const result: Attributes = {}
      for (const name of returned) if (item[name] !== undefined) result[name] = item[name]
      return result
    },

    /**
     * An item as this version stores it, in the partitions of its indexes. Throws an Error if a
     * derived field breaks its schema.
     */
    stored: (item: Attributes): Attributes => {
      const stored = read(present(item))
      for (const [name, [schema]] of Object.entries(derived)) checkValue(name, schema, stored[name])
      return present({ ...stored, ...partitions(table, stored) })
    },

    /** Throws an Error for an unknown or derived field, or a value that breaks its schema. */
    check: (changes: object): void => {
      for (const [name, value] of Object.entries(changes)) {
        const schema = fields[name]
        if (!schema)
          throw new Error(
            `${name} of ${table} cannot be set: it is derived, or there is no such field.`,
          )
        checkValue(name, schema, value)
      }
    },
  }
}

/** The attributes that are not `undefined`. */
const present = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
