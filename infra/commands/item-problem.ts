import * as v from 'valibot'
import type { AnyCollection } from '../../shared/data/collection.ts'
import type { Attributes } from '../../shared/data/indexes.ts'
import type { CollectionId } from '../../shared/data/tables.ts'
import { fieldRules } from '../../shared/model/fields.ts'

// Problems do not show values, which may be personal.

/** An item as this version stores it, or an Error that says why it cannot be read. */
export const asStored = (
  item: Attributes,
  id: CollectionId,
  { itemOf }: AnyCollection,
): Attributes | Error => {
  if (typeof item.revision !== 'string') return new Error(`${nameOf(item, id)} has no revision.`)
  try {
    return itemOf(item)
  } catch (error) {
    return error as Error // `itemOf` throws nothing else.
  }
}

/** What is wrong with an item that `asStored` has returned; `undefined` if nothing is. */
export const itemProblem = (
  item: Attributes,
  id: CollectionId,
  { fields }: AnyCollection,
): string | undefined => roundedProblem(item, id) ?? ruleProblem(item, id, fields)

/** Why an item cannot be written: one of its numbers was read as `NaN`. */
export const roundedProblem = (item: Attributes, id: CollectionId): string | undefined => {
  const attribute = attributeWith(Number.isNaN, item)
  return (
    attribute && `${nameOf(item, id)} has in ${attribute} a number that JavaScript would round.`
  )
}

const ruleProblem = (
  item: Attributes,
  id: CollectionId,
  fields: v.ObjectEntries,
): string | undefined => {
  const invalid = Object.keys(fields).filter((field) => {
    const schema = fields[field]
    return schema && !v.is(schema, item[field])
  })
  const rules = fieldRules(fields).filter(({ field }) => invalid.includes(field))
  if (rules.length === 0) return undefined
  const broken = rules.map(({ field, rule }) => `${field} must be ${rule}`)
  return `${nameOf(item, id)} breaks a rule: ${broken.join('; ')}.`
}

const nameOf = (item: Attributes, id: CollectionId): string => `The item ${item.id} of ${id}`

type Test = (value: unknown) => boolean

const attributeWith = (test: Test, item: Attributes): string | undefined =>
  Object.keys(item).find((name) => hasInside(test, item[name]))

/** Whether a value, or one in its lists, sets and maps, passes a test. */
const hasInside = (test: Test, value: unknown): boolean => {
  if (test(value)) return true
  if (value instanceof Set) return hasInside(test, [...value])
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false
  return Object.values(value).some((part) => hasInside(test, part))
}
