import * as v from 'valibot'
import { Int64, Int64Text, SafeInteger } from '../shared/model/int64.ts'
import { AnyDecimal, ParameterText } from '../shared/model/number.ts'
import { AnyText } from '../shared/model/text.ts'

/**
 * What a schema accepts. A `choice` is one of several texts, a `value` a number or boolean; `id`
 * and `parameter` parse text.
 */
export type Form = 'text' | 'choice' | 'value' | 'list' | 'id' | 'parameter' | 'object' | 'other'

/** The kinds of shared/model, by the schema that each starts with. */
const kinds = new Map<object, Form>([
  [AnyText, 'text'], // Text, CalendarDate, Timestamp
  [SafeInteger, 'value'], // Integer, Id
  [AnyDecimal, 'value'],
  [Int64, 'value'],
  [Int64Text, 'id'], // IdText
])

/** A schema, with what only some schemas have. */
export type Schema = v.GenericSchema & {
  pipe?: readonly v.GenericPipeItem[]
  wrapped?: Schema
  default?: unknown
  item?: Schema
  options?: readonly unknown[]
  literal?: unknown
}

/** The form of a schema, within its wrappers; `other` if it does more than check values. */
export const schemaForm = (schema: Schema): Form => {
  const layers = schemaLayers(schema)
  const start = layers.at(-1) ?? schema
  const rules = layers.slice(0, -1).flatMap(addedRules)
  if (layers.some((layer) => layer.async || 'fallback' in layer) || !rules.every(isCheck))
    return 'other'
  const form = kinds.get(start) ?? plainForm(start)
  if (layers.some(isParameter)) return form === 'value' ? 'parameter' : 'other'
  return form
}

/** The wrappers of a schema, such as `v.optional()`, from the outermost. */
export const schemaWrappers = (schema: Schema): Schema[] =>
  schemaLayers(schema).filter(({ pipe, wrapped }) => wrapped && !pipe)

/** Whether a schema has one of these forms, and no wrapper. */
export const isPlain = (schema: Schema, ...forms: Form[]): boolean =>
  forms.includes(schemaForm(schema)) && schemaWrappers(schema).length === 0

/** Whether a schema has a `v.description()` that no check comes after. */
export const isDescribed = (schema: Schema): boolean => {
  const isDescription = ({ type }: Rule) => type === 'description'
  const layers = schemaLayers(schema).map(addedRules)
  const outermost = layers.find((rules) =>
    rules.some((rule) => isDescription(rule) || isConstraint(rule)),
  )
  return outermost?.some(isDescription) ?? false
}

/**
 * A schema, what it starts with or wraps, and so on, up to a kind or a schema that is neither a
 * pipe nor a wrapper.
 */
const schemaLayers = (schema: Schema): Schema[] => {
  const { pipe, wrapped } = schema
  const inner = pipe ? pipe[isParameter(schema) ? 1 : 0] : wrapped
  return inner?.kind === 'schema' && !kinds.has(schema)
    ? [schema, ...schemaLayers(inner)]
    : [schema]
}

/** What a pipe adds to the schema that it starts with. */
const addedRules = (schema: Schema) => schema.pipe?.slice(isParameter(schema) ? 2 : 1) ?? []

const isParameter = ({ pipe }: Schema): boolean => pipe?.[0] === ParameterText

/** Whether a step of a pipe leaves values as they are. */
export const isCheck = (rule: Rule): boolean =>
  isConstraint(rule) || rule.kind === 'metadata' || /^(brand|readonly)$/.test(rule.type)

const isConstraint = ({ kind, type }: Rule): boolean => kind === 'validation' || type === 'guard'

type Rule = { kind: string; type: string }

/** The form of a schema that is neither a kind of shared/model, nor a pipe, nor a wrapper. */
const plainForm = ({ type, item, options, literal }: Schema): Form => {
  if (type === 'object') return 'object'
  if (type === 'boolean') return 'value'
  if (type === 'array' && item && isPlain(item, 'text', 'choice')) return 'list'
  if (type !== 'picklist' && type !== 'literal') return 'other'
  const choices = v.array(v.union([AnyText, AnyDecimal, v.boolean()]))
  const { output, success } = v.safeParse(choices, options ?? [literal])
  if (!success) return 'other'
  return output.every((choice) => typeof choice === 'string') ? 'choice' : 'value'
}
