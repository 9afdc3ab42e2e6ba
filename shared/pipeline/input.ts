import * as v from 'valibot'
import { badRequest, notFound } from '../model/api-error.ts'
import type { KeyHolder } from '../model/api-key.ts'
import { deepFreeze } from '../model/deep-freeze.ts'
import { fieldRules } from '../model/fields.ts'
import { type IdempotentRequest, jsonDigest } from '../model/idempotency-key.ts'
import { shortened } from '../model/names.ts'
import {
  ConditionHeader,
  KeyHeader,
  partsOf,
  takesIdempotencyKey,
  takesIfMatch,
} from './by-method.ts'
import type { AnyEntry, ObjectSchema } from './entry.ts'
import { headerValues, type ProxyEvent } from './gateway-event.ts'

/**
 * The request by its idempotency key; `undefined` for a GET, and if no key was sent. Its digest
 * covers everything that was sent, even what this version does not know. Throws an ApiError 400 for
 * an invalid key.
 */
export const idempotentRequest = (
  operation: string,
  entry: AnyEntry,
  event: ProxyEvent,
): IdempotentRequest | undefined => {
  if (!takesIdempotencyKey(entry)) return undefined
  const { 'Idempotency-Key': key } = parse([KeyHeader], sentHeader(event, 'Idempotency-Key'))
  if (key === undefined) return undefined
  const { pathParameters, multiValueQueryStringParameters: query, body } = event
  const request = jsonDigest([pathParameters, query, headerValues(event, 'if-match'), body])
  return { clientId: keyHolderOf(event).clientId, operation, key, request }
}

/**
 * Parses the parts of a request whose body `jsonBody` has read. Throws an ApiError: 400 for a query
 * parameter that the operation does not have, 404 for an invalid path parameter, 400 that names
 * everything that is invalid in another part.
 */
export const parseRequest = (operation: string, entry: AnyEntry, event: ProxyEvent) => {
  const { params, body } = partsOf(entry)
  assertParametersOf(operation, entry, event)
  return deepFreeze({
    client: { id: keyHolderOf(event).clientId },
    params: parse(params, event.pathParameters ?? {}, notFound),
    page: entry.pages && parsePage(entry, event),
    ifMatch: takesIfMatch(entry)
      ? parse([ConditionHeader], sentHeader(event, 'If-Match'))['If-Match']
      : undefined,
    body: parse(body, event.body),
  })
}

const keyHolderOf = (event: ProxyEvent): KeyHolder => {
  const holder = event.requestContext.authorizer
  if (!holder) throw new Error('The holder of the key is unknown until bearerKey has run.')
  return holder
}

/** A filter that is ignored would be wrong data: all items in place of some. */
const assertParametersOf = (operation: string, entry: AnyEntry, event: ProxyEvent): void => {
  const known = partsOf(entry).query.flatMap(({ entries }) => Object.keys(entries))
  const sent = Object.entries(event.multiValueQueryStringParameters ?? {})
  for (const [name, values = []] of sent.filter(([name]) => name !== '')) {
    if (!known.includes(name)) {
      const problem = `There is no query parameter ${shortened(name, 50)}.`
      throw badRequest(`${problem} ${operation} has ${known.join(', ') || 'none'}.`)
    }
    if (values.length > 1) throw badRequest(`${name} must be given once.`)
  }
}

/** The parameters of a list: besides `limit` and `cursor`, each is a filter. */
const parsePage = (entry: AnyEntry, event: ProxyEvent) => {
  const sent = event.queryStringParameters ?? {}
  const { limit, cursor, ...filter } = parse(partsOf(entry).query, sent)
  return { limit, cursor, filter }
}

/** A header as an object. Several lines are one list (RFC 9110, section 5.3). */
const sentHeader = (event: ProxyEvent, name: string): Record<string, string> => {
  const lines = headerValues(event, name.toLowerCase())
  return lines.length > 0 ? { [name]: lines.join(', ') } : {}
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
    else problems.push(...problemsOf(schema, issues))
  }
  if (problems.length > 0) throw error(`${problems.join('; ')}.`)
  return values as v.InferOutput<Schema> // Each schema has added its part.
}

/** What is wrong with fields, in their order, and then with the object as a whole. */
const problemsOf = ({ entries }: ObjectSchema, issues: v.BaseIssue<unknown>[]): string[] => {
  const problems: string[] = []
  for (const { field, rule } of fieldRules(entries)) {
    const [invalid] = issues.find(({ path }) => path?.[0].key === field)?.path ?? []
    if (!invalid) continue
    const problem = invalid.value === undefined ? 'is missing: it must be' : 'must be'
    problems.push(`${field} ${problem} ${rule}`)
  }
  const ofAll = issues.filter(({ path }) => !path).map(({ message }) => message)
  return [...problems, ...ofAll]
}
