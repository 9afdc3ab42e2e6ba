import type * as v from 'valibot'

/** What the fields of an object mean, in sentences for the API reference. */
type Texts<Fields> = { readonly [Name in keyof Fields]-?: string }

interface Meanings<Fields, T> extends v.BaseMetadata<Fields> {
  readonly type: 'meanings'
  readonly texts: T
}

/**
 * Says what the fields of an object mean, in its pipe: `meanings({ name: "The pet's name." })`.
 * (`v.description()` is the rule of a field, such as "a string of 1 to 1000 characters".)
 */
export const meanings = <Fields, const T extends Texts<Fields>>(texts: T): Meanings<Fields, T> => ({
  kind: 'metadata',
  type: 'meanings',
  reference: meanings,
  texts,
})

/** What the fields of an object mean, by their names; empty if its pipe does not say it. */
export const meaningsOf = (schema: object): Readonly<Record<string, string>> => {
  const steps: readonly { type?: string; texts?: Record<string, string> }[] =
    'pipe' in schema && Array.isArray(schema.pipe) ? schema.pipe : []
  return steps.find(({ type }) => type === 'meanings')?.texts ?? {}
}
