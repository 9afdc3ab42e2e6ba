import type * as v from 'valibot'

type Schema = v.ObjectEntries[string]

/** The kinds of schemas that a resource may have. */
type ResourceSchema =
  | { type: 'string' | 'number' | 'bigint' | 'boolean' }
  | { type: 'picklist'; options: readonly unknown[] }
  | { type: 'literal'; literal: unknown }
  | { type: 'union'; options: readonly Schema[] }
  | { type: 'optional' | 'nullable'; wrapped: Schema }
  | { type: 'array'; item: Schema }
  | { type: 'object'; entries: v.ObjectEntries }

// Valibot's general type does not say what a schema of a kind has.
const kindOf = (schema: Schema) => schema as ResourceSchema & Schema

/**
 * The value with the fields of a schema only: a stored item has more, which must stay secret.
 * Throws an Error for a kind of schema that no resource has, because it could let them through.
 */
export const withFieldsOf = (schema: Schema, value: unknown): unknown => {
  const kind = kindOf(schema)
  if (isScalar(kind)) return value
  if (kind.type === 'union' && kind.options.map(kindOf).every(isScalar)) return value
  switch (kind.type) {
    case 'optional':
    case 'nullable':
      return withFieldsOf(kind.wrapped, value)
    case 'array':
      return Array.isArray(value) ? value.map((item) => withFieldsOf(kind.item, item)) : value
    case 'object':
      return isObject(value) ? withEntriesOf(kind.entries, value) : value
  }
  throw unknownKindError(schema)
}

const withEntriesOf = (entries: v.ObjectEntries, value: Fields): Fields => {
  const fields: Fields = {}
  for (const [name, field] of Object.entries(entries))
    fields[name] = withFieldsOf(field, value[name])
  return fields
}

/** The kind of a schema, or of one inside it, for which `withFieldsOf` throws, if there is one. */
export const unknownKind = (schema: Schema): string | undefined => {
  const kind = kindOf(schema)
  if (isScalar(kind)) return undefined
  switch (kind.type) {
    case 'union':
      return kind.options.map(kindOf).every(isScalar) ? undefined : 'union'
    case 'optional':
    case 'nullable':
      return unknownKind(kind.wrapped)
    case 'array':
      return unknownKind(kind.item)
    case 'object':
      return Object.values(kind.entries).map(unknownKind).find(Boolean)
  }
  return schema.type
}

/**
 * Whether a value has the JSON type of a schema. Whether it keeps the rules of the schema does not
 * matter: a text that is too long is a text.
 */
export const hasJsonType = (schema: Schema, value: unknown): boolean => {
  const kind = kindOf(schema)
  switch (kind.type) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      // A number that JavaScript would round is read as NaN.
      return typeof value === kind.type && !Number.isNaN(value)
    case 'picklist':
      return kind.options.some((option) => typeof option === typeof value)
    case 'literal':
      return typeof value === typeof kind.literal
    case 'union':
      return kind.options.some((option) => hasJsonType(option, value))
    case 'optional':
      return value === undefined || hasJsonType(kind.wrapped, value)
    case 'nullable':
      return value === null || hasJsonType(kind.wrapped, value)
    case 'array':
      return Array.isArray(value) && value.every((item) => hasJsonType(kind.item, item))
    case 'object':
      return isObject(value) && hasTypesOf(kind.entries, value)
  }
  throw unknownKindError(schema)
}

const hasTypesOf = (entries: v.ObjectEntries, value: Fields): boolean =>
  Object.entries(entries).every(([name, field]) => hasJsonType(field, value[name]))

type Fields = Record<string, unknown>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isScalar = ({ type }: ResourceSchema): boolean =>
  ['string', 'number', 'bigint', 'boolean', 'picklist', 'literal'].includes(type)

const unknownKindError = ({ type }: Schema) =>
  new Error(`No resource has a schema of the kind ${type}: its fields could not be told apart.`)
