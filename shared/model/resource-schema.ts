import * as v from 'valibot'

/**
 * Whether a value has the JSON type of a schema. Whether it keeps the rules of the schema does not
 * matter: a text that is too long is a text, and so is one that is no option any more.
 */
export const hasJsonType = (schema: v.ObjectEntries[string], value: unknown): boolean => {
  const { issues = [] } = v.safeParse(schema, value)
  return issues.every(
    ({ kind, type, input }) =>
      kind === 'validation' || (type === 'picklist' && typeof input === 'string'),
  )
}
