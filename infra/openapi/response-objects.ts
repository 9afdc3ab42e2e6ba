import { STATUS_CODES } from 'node:http'
import * as v from 'valibot'
import { entries } from '../../shared/contract.ts'
import {
  type ApiError,
  badRequest,
  idempotencyKeyReused,
  insufficientScope,
  notFound,
  preconditionFailed,
  serviceUnavailable,
  unauthorized,
  unknownId,
  unsupportedMediaType,
} from '../../shared/model/api-error.ts'
import { fieldRules } from '../../shared/model/fields.ts'
import {
  partsOf,
  successStatus,
  takesIdempotencyKey,
  takesIfMatch,
} from '../../shared/pipeline/by-method.ts'
import type { AnyEntry, ObjectSchema } from '../../shared/pipeline/entry.ts'
import { unknownParameter } from '../../shared/pipeline/input.ts'
import { hasPathOfOne } from '../../shared/pipeline/responses.ts'
import { gatewayResponses } from '../platform/gateway.ts'
import { headerReferences } from './headers.ts'
import { exampleMember, type Json, jsonSchema } from './schemas.ts'

/** The responses of an operation, by status. */
export const responseObjects = (id: string, entry: AnyEntry): Json => {
  const responses: Json = { [successStatus(entry)]: successResponse(entry) }
  for (const error of possibleErrors(id, entry))
    responses[error.status] = errorResponse(entry, error)
  return responses
}

const successResponse = (entry: AnyEntry): Json => {
  const schema = entry.pages ?? entry.returns
  const response = {
    description: `${STATUS_CODES[successStatus(entry)]}.`,
    headers: headerReferences(entry, sentHeaders(entry)),
  }
  if (!schema) return response
  const media = { schema: jsonSchema(schema), ...responseExample(entry.body, schema) }
  return { ...response, content: { 'application/json': media } }
}

/** The headers of a success, besides those of every response. */
const sentHeaders = (entry: AnyEntry): string[] => [
  ...(entry.method === 'POST' && hasPathOfOne(entry.path) ? ['Location'] : []),
  ...(takesIdempotencyKey(entry) ? ['Idempotent-Replayed'] : []),
  ...(entry.pages ? ['Link'] : []),
  ...(entry.returns ? ['ETag'] : []),
]

/**
 * The example of a response body. After a request with a body, it has the fields that the example
 * of that body sends: after `PATCH { name: 'Max' }`, the example of a pet has the name Max.
 */
const responseExample = (request: ObjectSchema | undefined, response: v.GenericSchema): Json => {
  const own = exampleMember(response)
  if (!request) return own
  const sent = exampleMember(request)
  const changed = { ...Object(own.example), ...Object(sent.example) }
  const { success, output } = v.safeParse(response, changed)
  return success ? { example: output } : own
}

/** The errors that a request to an operation can get; the message of each is an example. */
const possibleErrors = (id: string, entry: AnyEntry): ApiError[] => {
  const { scope, errors = [] } = entry
  const { params, query, headers, body } = partsOf(entry)
  const [input] = [...body, ...query, ...headers]
  const possible = [unauthorized({ keyWasSent: true }), insufficientScope(scope)]
  possible.push(input ? badRequest(firstRule(input)) : unknownParameter(id, entry, 'limit'))
  if (params[0]) possible.push(unknownResource(entry.path, params[0]))
  if (entry.body) {
    const unsupported = unsupportedMediaType('text/plain', entry.method)
    possible.push(gatewayResponses.payloadTooLarge, unsupported)
  }
  if (takesIfMatch(entry)) possible.push(preconditionFailed())
  if (takesIdempotencyKey(entry)) possible.push(idempotencyKeyReused())
  return [
    ...possible,
    ...errors,
    gatewayResponses.tooManyRequests,
    gatewayResponses.internalServerError,
    gatewayResponses.badGateway,
    serviceUnavailable(undefined),
    gatewayResponses.gatewayTimeout,
  ]
}

/**
 * The example of a 404. It is "No pet has the id 1." if the path ends with an id, and an operation
 * at the path returns a schema with a title, such as `Pet`. Otherwise, it is the rule of a
 * parameter: "petId must be …".
 */
const unknownResource = (path: string, params: ObjectSchema): ApiError => {
  const atPath = Object.values(entries).filter((entry) => entry.path === path)
  const [title] = atPath.flatMap(({ returns }) => (returns && v.getTitle(returns)) ?? [])
  const { example } = exampleMember(Object.values(params.entries).at(-1) ?? v.never())
  const isFound = title !== undefined && typeof example === 'number' && path.endsWith('}')
  return isFound ? unknownId(title.toLowerCase(), example) : notFound(firstRule(params))
}

const firstRule = ({ entries }: ObjectSchema): string => {
  const [{ field, rule } = {}] = fieldRules(entries)
  return `${field} must be ${rule}.`
}

const errorResponse = (entry: AnyEntry, error: ApiError): Json => ({
  description: errorDescription(entry, error),
  headers: headerReferences(entry, [...Object.keys(error.headers), ...replayedIf(entry, error)]),
  content: {
    'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: error.body },
  },
})

/** The entry's own text wins over a general one. Other statuses have their reason phrase. */
const errorDescription = ({ errors = [] }: AnyEntry, { status }: ApiError): string => {
  const general = ERROR_DESCRIPTIONS[status]
  const own = errors.find((each) => each.status === status)?.message
  return general ? (own ?? general) : `${STATUS_CODES[status]}.`
}

/** The header of a refusal by a function, which may be the response to an earlier request. */
const replayedIf = (entry: AnyEntry, { status }: ApiError): string[] =>
  takesIdempotencyKey(entry) &&
  [404, 412, ...(entry.errors ?? []).map((each) => each.status)].includes(status)
    ? ['Idempotent-Replayed']
    : []

const ERROR_DESCRIPTIONS: Record<number, string> = {
  400:
    'The body, a parameter or a header is invalid, or the operation does not have a query ' +
    'parameter. The message names it.',
  401: 'The API key is missing or invalid.',
  403: 'The API key does not have the scope that the operation needs.',
  404: 'The requested resource could not be found. An invalid identifier gets this, too.',
  412: 'The resource does not have the revision in `If-Match`. Nothing happened.',
  415: 'The `Content-Type` or the `Content-Encoding` of the body is not supported.',
  422: 'The `Idempotency-Key` was used for another request. A new request needs a new key.',
  503: 'The database is slow, throttling requests or unavailable.',
}
