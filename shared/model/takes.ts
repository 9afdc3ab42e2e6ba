import * as v from 'valibot'

/**
 * States what a value may be, in the words that an error message needs: "`limit` must be `an integer from 1 to 100`".
 * It stands in the schema, beside the constraint that it words.
 */
export const takes = <T>(words: string) => v.metadata<T, { takes: string }>({ takes: words })

/** The fields of `schema`, in its order, each with what it takes: `name must be …`. */
export const fieldRules = (schema: ObjectSchema): [field: string, rule: string][] =>
  Object.entries(schema.entries).map(([field, entry]) => [field, `${field} must be ${wordsOf(entry)}`])

/** Any `v.object()` whose fields say what they take. */
export type ObjectSchema = v.ObjectSchema<v.ObjectEntries, undefined>

const wordsOf = (schema: v.ObjectEntries[string]): unknown =>
  'wrapped' in schema ? `${wordsOf(schema.wrapped)}, or left out` : v.getMetadata(schema).takes
