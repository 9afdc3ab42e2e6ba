import * as v from 'valibot'
import { type ApiError, badRequest, notFound } from '../model/api-error.ts'
import type { Caller } from '../model/api-key.ts'
import { deepFreeze } from '../model/deep-freeze.ts'
import { fieldRules } from '../model/fields.ts'
import { type IdempotentRequest, jsonDigest } from '../model/idempotency-key.ts'
import { shortened } from '../model/names.ts'
import type { Entry, ObjectSchema } from './entry.ts'
import {
  ConditionHeader,
  KeyHeader,
  partsOf,
  queryParameters,
  takesIdempotencyKey,
  takesIfMatch,
} from './entry-rules.ts'
import { headerValues, type ProxyEvent } from './gateway-event.ts'

/**
 * The request by its idempotency key; `undefined` for a GET, and if no key was sent. Its digest
 * covers everything that was sent, even what this version does not know. Throws an ApiError 400 for
 * an invalid key.
 */
export const idempotentRequest = (
  operation: string,
  entry: Entry,
  event: ProxyEvent,
): IdempotentRequest | undefined => {
  if (!takesIdempotencyKey(entry)) return undefined
  const sent = { 'Idempotency-Key': onlyValue(headerValues(event, 'idempotency-key')) }
  const { 'Idempotency-Key': key } = parse([KeyHeader], sent)
  if (key === undefined) return undefined
  const { pathParameters, multiValueQueryStringParameters: query, body } = event
  const request = jsonDigest([pathParameters, query, headerValues(event, 'if-match'), body])
  return { clientId: callerOf(event).clientId, operation, key, request }
}

/**
 * Parses the parts of a request whose body `jsonBody` has read. Throws an ApiError: 400 for a query
 * parameter that the operation does not have, 404 for an invalid path parameter, 400 that names
 * everything that is invalid in another part.
 */
export const parseRequest = (operation: string, entry: Entry, event: ProxyEvent) => {
  const { params, body } = partsOf(entry)
  assertKnownParameters(operation, entry, event)
  return deepFreeze({
    client: { id: callerOf(event).clientId },
    params: parse(params, event.pathParameters ?? {}, notFound),
    page: entry.pages && parsePage(entry, event),
    ifMatch: takesIfMatch(entry)
      ? parse([ConditionHeader], sentCondition(event))['If-Match']
      : undefined,
    body: parse(body, event.body),
  })
}

const callerOf = (event: ProxyEvent): Caller => {
  const caller = event.requestContext.authorizer
  if (!caller) throw new Error('The caller is unknown until bearerKey has run.')
  return caller
}

/** A filter that is ignored would be wrong data: all items in place of some. */
const assertKnownParameters = (operation: string, entry: Entry, event: ProxyEvent): void => {
  const known = queryParameters(entry)
  const sent = Object.keys(event.multiValueQueryStringParameters ?? {})
  const unknown = sent.find((name) => name !== '' && !known.includes(name))
  if (unknown !== undefined) throw unknownParameter(operation, entry, unknown)
}

/** The error for a query parameter that an operation does not have. */
export const unknownParameter = (operation: string, entry: Entry, name: string): ApiError => {
  const known = queryParameters(entry).join(', ') || 'none'
  return badRequest(
    `There is no query parameter ${shortened(name, 50)}. ${operation} has ${known}.`,
  )
}

/** The parameters of a list: besides `limit` and `cursor`, each is a filter. */
const parsePage = (entry: Entry, event: ProxyEvent) => {
  const { limit, cursor, ...filter } = parse(partsOf(entry).query, sentParameters(event))
  return { limit, cursor, filter }
}

/** Parses what was sent by each of the schemas. The error names everything that is invalid. */
const parse = <Schema extends ObjectSchema>(
  schemas: Schema[],
  sent: unknown,
  error = badRequest,
): v.InferOutput<Schema> => {
  const values = {}
  const problems: string[] = []
  for (const schema of schemas) {
    const { success, output, issues } = v.safeParse(schema, sent)
    if (success) Object.assign(values, output)
    else problems.push(...problemsOf(schema, issues, sent))
  }
  if (problems.length > 0) throw error(`${problems.join('; ')}.`)
  return values as v.InferOutput<Schema> // Each schema has added its part.
}

/** What is wrong with fields, in their order, and then with the object as a whole. */
const problemsOf = (
  { entries }: ObjectSchema,
  issues: v.BaseIssue<unknown>[],
  sent: unknown,
): string[] => {
  const invalid = new Set(issues.map(({ path }) => path?.[0]?.key))
  const values = new Map(Object.entries(sent ?? {}))
  const problems = fieldRules(entries)
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

const onlyValue = (values: string[] = []): unknown => (values.length > 1 ? REPEATED : values[0])

const sentParameters = ({
  multiValueQueryStringParameters,
}: ProxyEvent): Record<string, unknown> => {
  const sent: Record<string, unknown> = {}
  for (const [name, values] of Object.entries(multiValueQueryStringParameters ?? {}))
    sent[name] = onlyValue(values)
  return sent
}

const sentCondition = (event: ProxyEvent): Record<string, unknown> => {
  const lines = headerValues(event, 'if-match')
  // Several lines are one list (RFC 9110, section 5.3).
  return lines.length > 0 ? { 'If-Match': lines.join(',') } : {}
}
