import * as v from 'valibot'
import { type Entry, type ObjectSchema, type Part, partsOf } from './entry.ts'
import { type Event, headerValues } from './http.ts'
import { badRequest, notFound } from './model/api-error.ts'
import { type ApiKey, digestOf } from './model/api-key.ts'
import type { IfMatch } from './model/etag.ts'
import type { Intent } from './model/idempotency-key.ts'
import { stringifyJson } from './model/json.ts'
import { setting } from './settings.ts'

/**
 * Creates the function that makes the input of an operation from an event and its caller. That throws an ApiError: 404 for
 * an invalid path parameter, 400 that names every invalid parameter, header or field. The body must have passed `jsonBody`.
 */
export const inputOf = (id: string, entry: Entry) => {
  const { params, query, headers, body } = partsOf(entry)
  return (event: Event, { clientId }: ApiKey) => {
    const sent: Record<Part, unknown> = {
      params: event.pathParameters ?? {},
      query: valuesOf(query, (name) => event.multiValueQueryStringParameters?.[name]),
      headers: valuesOf(headers, (name) => headerValues(event, name.toLowerCase())),
      body: event.body,
    }
    const parsed = {
      params: params && parse(params, sent.params, notFound),
      query: query && parse(query, sent.query),
      headers: headers && parse(headers, sent.headers),
      body: body && parse(body, sent.body),
    }
    const { 'Idempotency-Key': key, 'If-Match': ifMatch }: FlaggedHeaders = parsed.headers ?? {}
    const intent: Intent | undefined =
      key === undefined ? undefined : { clientId, operation: id, key, request: requestDigest(entry, sent) }
    const settings = Object.fromEntries((entry.settings ?? []).map((name) => [name, setting(name)]))
    return { ...parsed, settings, intent, ifMatch }
  }
}

/**
 * A digest of what a request asks for: of the values that the schemas of its entry name, in the order of their names. They are
 * as they were sent, so that a default or a rule of a later release does not make a retry another request.
 */
const requestDigest = (entry: Entry, sent: Record<Part, unknown>): string => {
  const named = (part: Part) => {
    const names = Object.keys(entry[part]?.entries ?? {}).sort()
    return Object.fromEntries(names.map((name) => [name, fieldOf(sent[part], name)]))
  }
  return digestOf(stringifyJson([named('params'), named('query'), named('headers'), named('body')]))
}

/** The headers that flags of an entry add. */
type FlaggedHeaders = { 'Idempotency-Key'?: string; 'If-Match'?: IfMatch }

/** A field of what a client has sent: of any JSON value. */
const fieldOf = (sent: unknown, name: string): unknown => Object(sent)[name]

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
    .map(([field, rule]) => problemOf(field, rule, fieldOf(input, field)))
  const wholeInputIssues = issues.filter(({ path }) => !path).map(({ message }) => message)
  throw error(`${[...problems, ...wholeInputIssues].join('; ')}.`)
}

const problemOf = (field: string, rule: string, value: unknown): string => {
  if (value === undefined) return `${field} is missing: it${rule.slice(field.length)}`
  return value === REPEATED ? `${rule} (give it once)` : rule
}

/** Stands for several values where only one is allowed. No schema accepts it. */
const REPEATED = Symbol('repeated')

/** The values that were sent for the fields of a schema. All others are ignored. */
const valuesOf = (schema: ObjectSchema | undefined, sent: (name: string) => string[] | undefined): object =>
  Object.fromEntries(
    Object.entries(schema?.entries ?? {}).map(([name, schema]) => [name, valueOrList(schema, sent(name))]),
  )

const valueOrList = (schema: v.ObjectEntries[string], values: string[] = []): unknown => {
  if (isList(schema) && values.length > 0) return values
  return values.length > 1 ? REPEATED : values[0]
}

const isList = (schema: v.ObjectEntries[string]): boolean =>
  schema.type === 'array' || ('wrapped' in schema && isList(schema.wrapped))
