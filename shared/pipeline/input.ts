import * as v from 'valibot'
import { badRequest, notFound } from '../model/api-error.ts'
import type { IfMatch } from '../model/etag.ts'
import { frozen } from '../model/frozen.ts'
import { jsonDigest, type KeyedRequest } from '../model/idempotency-key.ts'
import { type Entry, Idempotency, type ObjectSchema, partsOf, takesKey } from './entry.ts'
import { type Event, headerValues } from './http.ts'

/**
 * What a client wants done once; `undefined` for a GET, and without an idempotency key. The digest
 * is of everything that was sent, whatever this version knows of it. Throws an ApiError 400 for an
 * invalid key.
 */
export const keyedRequest = (
  operation: string,
  entry: Entry,
  event: Event,
): KeyedRequest | undefined => {
  const caller = event.requestContext.authorizer
  if (!caller) throw new Error('The caller is unknown until bearerKey has run.')
  if (!takesKey(entry)) return undefined
  const { 'Idempotency-Key': key } = parse([Idempotency], sentHeaders(event)) as ParsedHeaders
  if (key === undefined) return undefined
  const { pathParameters, multiValueQueryStringParameters: query, body } = event
  const request = jsonDigest([pathParameters, query, headerValues(event, 'if-match'), body])
  return { clientId: caller.clientId, operation, key, request }
}

/**
 * Parses the parts of a request after `jsonBody`. Throws an ApiError: 404 for an invalid path
 * parameter, 400 that names everything that is invalid in another part.
 */
export const parseRequest = (entry: Entry, event: Event) => {
  const { params, query, headers, body } = partsOf(entry)
  const path = parse(params, event.pathParameters ?? {}, notFound)
  const parameters = parse(query, sentOnce(event.multiValueQueryStringParameters ?? {}))
  const { 'If-Match': ifMatch }: ParsedHeaders = parse(headers, sentHeaders(event))
  return frozen({ params: path, query: parameters, ifMatch, body: parse(body, event.body) })
}

/** The parsed headers, as the entry takes them. */
type ParsedHeaders = { 'Idempotency-Key'?: string; 'If-Match'?: IfMatch }

/** The rules of the fields of a schema, in order. Each completes "<field> must be …". */
export const fieldRules = ({ entries }: ObjectSchema): { field: string; rule: string }[] =>
  Object.entries(entries).map(([field, schema]) => ({ field, rule: `${ruleOf(schema)}` }))

/** The rule of a field: its `v.description()`; `undefined` if it has none. */
export const ruleOf = (schema: v.ObjectEntries[string]): string | undefined => {
  const rule = v.getDescription(schema)
  if (rule || !('wrapped' in schema)) return rule
  const inner = ruleOf(schema.wrapped)
  return inner && inner + alternativesOf(schema)
}

/** What a wrapper of Valibot allows besides a value. */
const alternativesOf = ({ type }: v.ObjectEntries[string]): string =>
  (/^null/.test(type) ? ', or null' : '') + (/(optional|nullish)$/.test(type) ? ', or omitted' : '')

/** Parses what was sent by each of the schemas. The error names everything that is invalid. */
const parse = (schemas: ObjectSchema[], sent: unknown, error = badRequest): object => {
  const values = {}
  const problems: string[] = []
  for (const schema of schemas) {
    const { success, output, issues } = v.safeParse(schema, sent)
    if (success) Object.assign(values, output)
    else problems.push(...problemsOf(schema, issues, sent))
  }
  if (problems.length > 0) throw error(`${problems.join('; ')}.`)
  return values
}

const problemsOf = (
  schema: ObjectSchema,
  issues: v.BaseIssue<unknown>[],
  sent: unknown,
): string[] => {
  const invalid = new Set(issues.map(({ path }) => path?.[0]?.key))
  const values = new Map(Object.entries(sent ?? {}))
  const problems = fieldRules(schema)
    .filter(({ field }) => invalid.has(field))
    .map(({ field, rule }) => valueProblem(field, rule, values.get(field)))
  const problemsOfAll = issues.filter(({ path }) => !path).map(({ message }) => message)
  return [...problems, ...problemsOfAll]
}

const valueProblem = (field: string, rule: string, value: unknown): string => {
  if (value === undefined) return `${field} is missing: it must be ${rule}`
  return `${field} must be ${rule}${value === REPEATED ? ' (give it once)' : ''}`
}

/** Stands for several values where only one is allowed. No schema accepts it. */
const REPEATED = Symbol('repeated')

const sentOnce = (lists: Record<string, string[] | undefined>): Record<string, unknown> => {
  const sent: Record<string, unknown> = {}
  for (const [name, values = []] of Object.entries(lists))
    sent[name] = values.length > 1 ? REPEATED : values[0]
  return sent
}

const sentHeaders = (event: Event): Record<string, unknown> => {
  const tags = headerValues(event, 'if-match')
  return {
    ...sentOnce({ 'Idempotency-Key': headerValues(event, 'idempotency-key') }),
    // Several lines are one list (RFC 9110, section 5.3).
    ...(tags.length > 0 && { 'If-Match': tags.join(',') }),
  }
}
