import * as v from 'valibot'
import { type ObjectSchema, type Operation, partsOf } from './entry.ts'
import { type Event, headerValues } from './http.ts'
import { badRequest, notFound } from './model/api-error.ts'
import type { ApiKey } from './model/api-key.ts'
import { digestOfValues, type Intent } from './model/idempotency-key.ts'
import { setting } from './settings.ts'

/**
 * Creates the function that makes the input of an operation from an event and its caller. That throws an ApiError: 404 for
 * an invalid path parameter, 400 that names every invalid parameter, header or field. The body must have passed `jsonBody`.
 */
export const inputOf = (id: string, entry: Operation) => {
  const { params, query, headers, body } = partsOf(entry)
  return (event: Event, { clientId }: ApiKey) => {
    const inQuery = (name: string) => event.multiValueQueryStringParameters?.[name]
    const inHeaders = (name: string) => headerValues(event, name.toLowerCase())
    const parsed = {
      params: params && parse(params, event.pathParameters ?? {}, notFound),
      query: query && parse(query, valuesOf(query, inQuery)),
      headers: headers && parse(headers, valuesOf(headers, inHeaders)),
      body: body && parse(body, event.body),
    }
    const { 'Idempotency-Key': key, 'If-Match': ifMatch } = Object(parsed.headers)
    // Before the schemas, so that a default or a rule of a later release does not make a retry another request.
    const asked = () => [
      named(params, event.pathParameters),
      entry.query && valuesOf(entry.query, inQuery),
      entry.headers && valuesOf(entry.headers, inHeaders),
      named(body, event.body),
    ]
    const intent: Intent | undefined = key && { clientId, operation: id, key, request: digestOfValues(asked()) }
    const settings = Object.fromEntries((entry.settings ?? []).map((name) => [name, setting(name)]))
    return { ...parsed, settings, intent, ifMatch }
  }
}

/** The fields of a schema in order, each with the rule for its value. Throws an Error if a field has no rule. */
export const fieldRules = ({ entries }: ObjectSchema): [field: string, rule: string][] =>
  Object.entries(entries).map(([field, schema]) => [field, `${field} must be ${ruleOf(schema, field)}`])

const ruleOf = (schema: v.ObjectEntries[string], field: string): string => {
  const rule = v.getDescription(schema)
  if (rule) return rule
  if ('wrapped' in schema) return ruleOf(schema.wrapped, field) + alternativesOf(schema)
  throw new Error(`The field ${field} has no rule. Add v.description() to its schema: "${field} must be …".`)
}

/** What a wrapper of Valibot allows besides a value. */
const alternativesOf = ({ type }: v.ObjectEntries[string]): string =>
  (/^null/.test(type) ? ', or null' : '') + (/(optional|nullish)$/.test(type) ? ', or omitted' : '')

const parse = (schema: ObjectSchema, input: unknown, error = badRequest): object => {
  const { success, output, issues } = v.safeParse(schema, input)
  if (success) return output
  const invalid = new Set(issues.map(({ path }) => path?.[0]?.key))
  const problems = fieldRules(schema)
    .filter(([field]) => invalid.has(field))
    .map(([field, rule]) => problemOf(field, rule, Object(input)[field]))
  const wholeInputIssues = issues.filter(({ path }) => !path).map(({ message }) => message)
  throw error(`${[...problems, ...wholeInputIssues].join('; ')}.`)
}

const problemOf = (field: string, rule: string, value: unknown): string => {
  if (value === undefined) return `${field} is missing: it${rule.slice(field.length)}`
  return value === REPEATED ? `${rule} (give it once)` : rule
}

/** Stands for several values where only one is allowed. No schema accepts it. */
const REPEATED = Symbol('repeated')

/** The values of the fields that a schema names. */
const named = (schema: ObjectSchema | undefined, values: unknown): object =>
  Object.fromEntries(Object.entries(Object(values)).filter(([name]) => schema && name in schema.entries))

/** The values that were sent for the fields of a schema. All others are ignored. */
const valuesOf = ({ entries }: ObjectSchema, sent: (name: string) => string[] | undefined): object =>
  Object.fromEntries(Object.entries(entries).map(([name, schema]) => [name, valueOrList(schema, sent(name))]))

const valueOrList = (schema: v.ObjectEntries[string], values: string[] = []): unknown => {
  if (isList(schema) && values.length > 0) return values
  return values.length > 1 ? REPEATED : values[0]
}

const isList = (schema: v.ObjectEntries[string]): boolean =>
  schema.type === 'array' || ('wrapped' in schema && isList(schema.wrapped))
