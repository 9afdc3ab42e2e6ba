import * as v from 'valibot'
import { badRequest, notFound } from '../model/api-error.ts'
import type { Caller } from '../model/api-key.ts'
import type { IfMatch } from '../model/etag.ts'
import { frozen } from '../model/frozen.ts'
import { type Intent, jsonDigest } from '../model/idempotency-key.ts'
import { setting } from '../settings.ts'
import { type Entry, type ObjectSchema, partsOf } from './entry.ts'
import { type Event, headerValues } from './http.ts'

/**
 * Creates the function that parses requests after `jsonBody`: into their parts, and the intent of
 * one with an idempotency key. It throws an ApiError: 404 for an invalid path parameter, 400 that
 * names every other invalid part.
 */
export const requestParser = (operation: string, entry: Entry) => {
  const { params, query, headers, body } = partsOf(entry)
  return (event: Event, { clientId }: Caller) => {
    const sentHeaders = sentValues(headers, (name) => headerValues(event, name.toLowerCase()))
    const sentQuery = event.multiValueQueryStringParameters ?? {}
    const parsed = {
      params: params && parse(params, event.pathParameters ?? {}, notFound),
      query:
        query &&
        parse(
          query,
          sentValues(query, (name) => sentQuery[name]),
        ),
      headers: headers && parse(headers, sentHeaders),
      body: body && parse(body, event.body),
    }
    const { 'Idempotency-Key': key, 'If-Match': ifMatch }: FlaggedHeaders = parsed.headers ?? {}
    const { 'Idempotency-Key': _, ...otherHeaders } = sentHeaders
    const intentOf = (key: string): Intent => ({
      clientId,
      operation,
      key,
      request: jsonDigest([event.pathParameters, sentQuery, otherHeaders, event.body]),
    })
    const settings = Object.fromEntries((entry.settings ?? []).map((name) => [name, setting(name)]))
    return {
      input: frozen({ ...parsed, ifMatch, settings }),
      intent: key === undefined ? undefined : intentOf(key),
    }
  }
}

/** The parsed parts of a request, and what follows from the flags and the settings of its entry. */
export type ParsedRequest = ReturnType<ReturnType<typeof requestParser>>['input']

/** The headers that flags of an entry add. */
type FlaggedHeaders = { 'Idempotency-Key'?: string; 'If-Match'?: IfMatch }

/**
 * The rules of the fields of a schema, in order. Each completes "<field> must be …". Throws an
 * Error if a field has none.
 */
export const fieldRules = ({ entries }: ObjectSchema): { field: string; rule: string }[] =>
  Object.entries(entries).map(([field, schema]) => ({ field, rule: ruleOf(schema, field) }))

const ruleOf = (schema: v.ObjectEntries[string], field: string): string => {
  const rule = v.getDescription(schema)
  if (rule) return rule
  if ('wrapped' in schema) return ruleOf(schema.wrapped, field) + alternativesOf(schema)
  throw new Error(
    `The field ${field} has no rule. Add v.description() to its schema: "${field} must be …".`,
  )
}

/** What a wrapper of Valibot allows besides a value. */
const alternativesOf = ({ type }: v.ObjectEntries[string]): string =>
  (/^null/.test(type) ? ', or null' : '') + (/(optional|nullish)$/.test(type) ? ', or omitted' : '')

const parse = (schema: ObjectSchema, sent: unknown, error = badRequest): object => {
  const { success, output, issues } = v.safeParse(schema, sent)
  if (success) return output
  const invalid = new Set(issues.map(({ path }) => path?.[0]?.key))
  const values = new Map(Object.entries(sent ?? {}))
  const problems = fieldRules(schema)
    .filter(({ field }) => invalid.has(field))
    .map(({ field, rule }) => valueProblem(field, rule, values.get(field)))
  const problemsOfAll = issues.filter(({ path }) => !path).map(({ message }) => message)
  throw error(`${[...problems, ...problemsOfAll].join('; ')}.`)
}

const valueProblem = (field: string, rule: string, value: unknown): string => {
  if (value === undefined) return `${field} is missing: it must be ${rule}`
  return `${field} must be ${rule}${value === REPEATED ? ' (give it once)' : ''}`
}

/** Stands for several values where only one is allowed. No schema accepts it. */
const REPEATED = Symbol('repeated')

/** The values that were sent for the fields of a schema. All others are ignored. */
const sentValues = (
  schema: ObjectSchema | undefined,
  valuesOf: (name: string) => string[] | undefined,
) => {
  const sent: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(schema?.entries ?? {}))
    sent[name] = valueOrList(field, valuesOf(name))
  return sent
}

const valueOrList = (schema: v.ObjectEntries[string], values: string[] = []): unknown => {
  if (isList(schema) && values.length > 0) return values
  return values.length > 1 ? REPEATED : values[0]
}

const isList = (schema: v.ObjectEntries[string]): boolean =>
  schema.type === 'array' || ('wrapped' in schema && isList(schema.wrapped))
