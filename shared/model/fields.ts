import * as v from 'valibot'

/**
 * Says in the pipe of a schema which values it allows, for error messages and the API reference:
 * `mustBe('an integer from 1 to 100')` completes "<field> must be …".
 */
export const mustBe = <Value>(rule: string): v.MetadataAction<Value, { rule: string }> =>
  v.metadata({ rule })

type Field = v.ObjectEntries[string]

/** The schema inside `v.optional()` or `v.nullable()`; `undefined` for any other schema. */
export const wrappedSchema = (schema: object): Field | undefined =>
  'wrapped' in schema ? (schema.wrapped as Field) : undefined // Valibot's name for it.

/**
 * The rule of a field, which completes "<field> must be …"; `undefined` if it has none. That of
 * `v.optional(PetStatus)` is "one of available, pending, sold, or omitted".
 */
export const fieldRule = (field: Field): string | undefined => {
  const rule = ownRule(field)
  const wrapped = wrappedSchema(field)
  if (rule || field.type !== 'optional' || !wrapped) return rule
  const inner = fieldRule(wrapped)
  return inner && `${inner}, or omitted`
}

/** The last rule in a pipe, or in a pipe that is a part of it. */
const ownRule = (field: Field) => (v.getMetadata(field) as { rule?: string }).rule

/** What a field means, as its `v.description()` says; `undefined` if no pipe has one. */
export const fieldDescription = (field: Field): string | undefined => {
  const wrapped = wrappedSchema(field)
  return v.getDescription(field) ?? (wrapped && fieldDescription(wrapped))
}

/** The rules of the fields of an object, in order. The contract check refuses one without. */
export const fieldRules = (fields: v.ObjectEntries): { field: string; rule: string }[] =>
  Object.entries(fields).map(([field, schema]) => ({ field, rule: `${fieldRule(schema)}` }))

/**
 * The schema of a change of a resource with these fields (JSON merge patch, RFC 7396): it has at
 * least one of them, and `null` removes an optional one.
 */
export const changesOf = <Fields extends v.ObjectEntries>(fields: Fields) => {
  const changes: v.ObjectEntries = {}
  for (const [name, field] of Object.entries(fields)) changes[name] = changeOf(field)
  return v.pipe(
    v.object(changes as Changes<Fields>), // The loop loses the type of each field.
    v.minEntries(1, `The body must have at least one of ${Object.keys(fields).join(', ')}`),
  )
}

type Changes<Fields extends v.ObjectEntries> = {
  [Name in keyof Fields]: v.OptionalSchema<
    Fields[Name] extends { type: 'optional'; wrapped: infer Value extends v.GenericSchema }
      ? v.NullableSchema<Value, undefined>
      : Fields[Name],
    undefined
  >
}

const changeOf = (field: Field): Field => {
  const wrapped = wrappedSchema(field)
  if (field.type !== 'optional' || !wrapped) return v.optional(field)
  const rule = mustBe(`${ownRule(field) ?? fieldRule(wrapped)}, null`)
  const value = v.pipe(v.nullable(wrapped), rule)
  return v.pipe(v.optional(value), v.description(`${fieldDescription(field)}`))
}
