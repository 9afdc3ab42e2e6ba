import * as v from 'valibot'

interface Meaning<Value> extends v.BaseMetadata<Value> {
  readonly type: 'meaning'
  readonly text: string
}

/**
 * Says what a field means, in its pipe, in a sentence for the API reference: `meaning("The pet's
 * name.")`. (`v.description()` is the rule of a field, such as "a string of 1 to 50 characters".)
 */
export const meaning = <Value>(text: string): Meaning<Value> => ({
  kind: 'metadata',
  type: 'meaning',
  reference: meaning,
  text,
})

/** What a field means; `undefined` if its pipe does not say it. */
export const fieldMeaning = (field: object): string | undefined => {
  const pipe: readonly { type?: string; text?: string }[] =
    'pipe' in field && Array.isArray(field.pipe) ? field.pipe : []
  const text = pipe.findLast(({ type }) => type === 'meaning')?.text
  return text ?? ('wrapped' in field ? fieldMeaning(Object(field.wrapped)) : undefined)
}

/** The rule of a field, which completes "<field> must be …"; `undefined` if it has none. */
export const fieldRule = (field: v.ObjectEntries[string]): string | undefined => {
  const rule = v.getDescription(field)
  if (rule || field.type !== 'optional' || !('wrapped' in field)) return rule
  const inner = fieldRule(field.wrapped)
  return inner && `${inner}, or omitted`
}

/** The rules of the fields of an object, in order. */
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

const changeOf = (field: v.ObjectEntries[string]): v.ObjectEntries[string] => {
  if (field.type !== 'optional' || !('wrapped' in field)) return v.optional(field)
  const rule = v.description(`${v.getDescription(field) ?? fieldRule(field.wrapped)}, null`)
  const value = v.pipe(v.nullable(field.wrapped), rule)
  return v.pipe(v.optional(value), meaning(`${fieldMeaning(field)}`))
}
