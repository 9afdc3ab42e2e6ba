import * as v from 'valibot'
import { type Form, isDescribed, type Schema, schemaForm, schemaWrappers } from './kinds.ts'

/** What a place allows: forms, the wrappers around them from the outermost, and both in words. */
type Place = { noun: string; forms: Form[]; wrappers: string[]; kinds: string }

const field: Place = {
  noun: 'field',
  forms: ['text', 'choice', 'value', 'list'],
  wrappers: ['optional'],
  kinds:
    'a Text(), TextList(), CalendarDate, Timestamp, Id, Int64, Integer() or Decimal() of shared/model, a v.boolean(), v.picklist() or v.literal()',
}

const queryParameter: Place = {
  noun: 'query parameter',
  forms: ['text', 'choice', 'list', 'id', 'parameter'],
  wrappers: ['optional'],
  kinds:
    'a Text(), TextList(), CalendarDate, Timestamp, IdText or Parameter() of shared/model, or a v.picklist() of texts',
}

const places = {
  field,
  change: { ...field, wrappers: ['optional', 'nullable'] },
  query: queryParameter,
  headers: { ...queryParameter, noun: 'header' },
  params: {
    noun: 'path parameter',
    forms: ['id', 'choice'],
    wrappers: [],
    kinds: 'an IdText of shared/model, or a v.picklist() of texts',
  },
} satisfies Record<string, Place>

/**
 * Why values of a field would be lost, changed or described wrongly; `undefined` if they would not.
 */
export const fieldProblem = (
  at: keyof typeof places,
  fields: v.ObjectEntries,
): string | undefined => {
  for (const [name, schema] of Object.entries(fields)) {
    const problem =
      kindProblem(schema, places[at]) ??
      defaultProblem(schema, at === 'change') ??
      ruleProblem(schema)
    if (problem) return `has the ${places[at].noun} ${name}, which ${problem}`
  }
  return undefined
}

const kindProblem = (schema: Schema, { forms, wrappers, kinds }: Place): string | undefined => {
  const used = schemaWrappers(schema).map(({ type }) => type)
  const isInOrder = wrappers.filter((each) => used.includes(each)).join() === used.join()
  if (forms.includes(schemaForm(schema)) && isInOrder) return undefined
  const added = ['with checks', ...wrappers.map((each) => `in v.${each}()`)].join(' and ')
  return `must be ${kinds}, at most ${added}.`
}

const defaultProblem = (schema: Schema, isChange: boolean): string | undefined => {
  const value = schemaWrappers(schema).find((wrapper) => wrapper.default !== undefined)?.default
  if (value === undefined) return undefined
  if (isChange) return 'has a default, which each change would set.'
  if (typeof value === 'function')
    return 'has a default that is computed. Set the value in the function.'
  return v.is(schema, value) ? undefined : 'has a default that it does not accept.'
}

const ruleProblem = (schema: Schema): string | undefined =>
  isDescribed(schema) ? undefined : 'has no v.description() of its rule, after its checks.'

/** An index key has at most 2048 bytes: the shard, and up to four for each character. */
const LONGEST_VALUE = 500

/** Why lists of a collection cannot be filtered by one of these fields; `undefined` if they can. */
export const filterProblem = (
  filters: readonly string[],
  fields: v.ObjectEntries = {},
): string | undefined => {
  const wrong = filters.find((name) => !isFilter(fields[name]))
  if (!wrong) return undefined
  return `has the filter ${wrong}, which is no field with a single value of at most ${LONGEST_VALUE} characters.`
}

const isFilter = (schema: Schema | undefined): boolean => {
  if (!schema) return false
  const form = schemaForm(schema)
  if (form !== 'text') return form !== 'list'
  return Number(v.getMetadata(schema.wrapped ?? schema).maxLength) <= LONGEST_VALUE
}
