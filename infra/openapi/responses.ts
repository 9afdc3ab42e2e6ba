import { STATUS_CODES } from 'node:http'
import * as v from 'valibot'
import { entries } from '../../shared/contract.ts'
import {
  ApiError,
  badRequest,
  idempotencyKeyReused,
  insufficientScope,
  notFound,
  preconditionFailed,
  serviceUnavailable,
  unauthorized,
  unsupportedMediaType,
} from '../../shared/model/api-error.ts'
import { EXAMPLE_ETAG } from '../../shared/model/etag.ts'
import { fieldRules } from '../../shared/model/fields.ts'
import { Cursor } from '../../shared/model/paging.ts'
import {
  type Entry,
  noticeHeaders,
  type ObjectSchema,
  partsOf,
  successHeaders,
  takesKey,
} from '../../shared/pipeline/entry.ts'
import { cors } from '../../shared/pipeline/http.ts'
import { hasPathOfOne } from '../../shared/pipeline/responses.ts'
import { service } from '../../shared/service.ts'
import { gatewayResponses } from '../platform/gateway.ts'
import { exampleMember, type Json, jsonSchema } from './schemas.ts'

/** The responses of an operation, by status. */
export const responseObjects = (entry: Entry): Json => {
  const { success } = entry
  const response = {
    description: `${STATUS_CODES[success.status]}.`,
    headers: headerReferences(entry, sentHeaders(entry)),
    ...('body' in success && {
      content: {
        'application/json': {
          schema: jsonSchema(success.body),
          ...exampleAfter(entry.body, success.body),
        },
      },
    }),
  }
  const errors = possibleErrors(entry).map((error) => [error.status, errorResponse(entry, error)])
  return { [success.status]: response, ...Object.fromEntries(errors) }
}

/** The headers of a success. It has no location if no operation has its path. */
const sentHeaders = (entry: Entry): string[] =>
  successHeaders(entry).filter((name) => name !== 'Location' || hasPathOfOne(entry.path))

/** The example of a response body, with the values that the example of the request body sends. */
const exampleAfter = (request: ObjectSchema | undefined, body: v.GenericSchema): Json => {
  const own = exampleMember(body)
  const sent = request && exampleMember(request)
  const { success, output } = v.safeParse(body, Object.assign({}, own.example, sent?.example))
  return sent && success ? { example: output } : own
}

/** The headers of responses, for the components of the document. */
export const componentHeaders = (): Json => {
  const components: Json = {}
  for (const [name, header] of Object.entries(headers)) {
    const { description, schema, example, required } = header
    const isUsed = ['Access-Control-Allow-Origin', ...cors.exposedHeaders].includes(name)
    if (isUsed)
      components[name] = { description, schema: { type: 'string', ...schema }, example, required }
  }
  return components
}

/** The errors that a request to an operation can get; the message of each is an example. */
const possibleErrors = (entry: Entry): ApiError[] => {
  const { scope, conditional, errors = {} } = entry
  const { params, query, headers, body } = partsOf(entry)
  const [input] = [...body, ...query, ...headers]
  const possible = [unauthorized({ keyWasSent: true }), insufficientScope(scope)]
  if (input) possible.push(badRequest(firstRule(input)))
  if (params[0]) possible.push(notFound(firstRule(params[0])))
  if (entry.body) possible.push(gatewayResponses.payloadTooLarge, unsupportedMediaType())
  if (conditional) possible.push(preconditionFailed())
  if (takesKey(entry)) possible.push(idempotencyKeyReused())
  for (const [status, message] of Object.entries(errors))
    possible.push(new ApiError(Number(status), message))
  return [
    ...possible,
    gatewayResponses.tooManyRequests,
    gatewayResponses.internalServerError,
    gatewayResponses.badGateway,
    serviceUnavailable(undefined),
    gatewayResponses.gatewayTimeout,
  ]
}

const firstRule = ({ entries }: ObjectSchema): string => {
  const [{ field, rule } = {}] = fieldRules(entries)
  return `${field} must be ${rule}.`
}

const errorResponse = (entry: Entry, error: ApiError): Json => ({
  description: ERROR_DESCRIPTIONS[error.status] ?? `${STATUS_CODES[error.status]}.`,
  headers: headerReferences(entry, [...Object.keys(error.headers), ...replayedIf(entry, error)]),
  content: {
    'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: error.body },
  },
})

/** The header of a refusal by a function, which may be the response to an earlier request. */
const replayedIf = (entry: Entry, { status }: ApiError): string[] =>
  takesKey(entry) && [404, 412, ...Object.keys(entry.errors ?? {}).map(Number)].includes(status)
    ? ['Idempotent-Replayed']
    : []

const ERROR_DESCRIPTIONS: Record<number, string> = {
  400: 'The body, a parameter or a header is invalid. The message names what is invalid.',
  401: 'The API key is missing or invalid.',
  403: 'The API key does not have the scope that the operation needs.',
  404: 'The requested resource could not be found.',
  412: 'The resource does not have the revision in `If-Match`. Nothing happened.',
  415: 'The `Content-Type` or the `Content-Encoding` of the body is not supported.',
  422: 'The `Idempotency-Key` was used for another request. A new request needs a new key.',
  503: 'The database is slow, throttling requests or unavailable.',
}

/**
 * References to the headers of a response: those of every response of the operation, and `names`.
 */
const headerReferences = (entry: Entry, names: string[]): Json => {
  const references: Json = {}
  for (const name of [
    'Access-Control-Allow-Origin',
    'X-Request-Id',
    ...names,
    ...noticeHeaders(entry),
  ])
    references[name] = { $ref: `#/components/headers/${name}` }
  return references
}

const examplePath = (fits: (entry: Entry) => unknown): string =>
  service.basePath + (Object.values(entries).find(fits)?.path ?? '')

/** `required`: each response for which the header is documented has it. */
type Header = { description: string; schema?: Json; example: string; required?: true }

const headers: Record<string, Header> = {
  'Access-Control-Allow-Origin': {
    description: 'Any web page may read the response (CORS).',
    schema: { const: cors.allowedOrigin },
    example: cors.allowedOrigin,
    required: true,
  },
  'X-Request-Id': {
    description: 'Identifies the request in the logs of the service.',
    example: 'WtooPXbkRGDu1bY=',
    required: true,
  },
  Location: {
    description: 'The path of the new resource.',
    schema: { pattern: '^/' },
    example: `${examplePath(({ success }) => success.status === 201)}/373212905455903`,
    required: true,
  },
  'Idempotent-Replayed': {
    description: 'Present if this is the response to an earlier request with the same key.',
    schema: { const: 'true' },
    example: 'true',
  },
  ETag: {
    description: 'The revision of the resource, for the header `If-Match` of a change.',
    schema: { pattern: '^"' },
    example: EXAMPLE_ETAG,
    required: true,
  },
  Link: {
    description:
      'Related URLs (RFC 8288): `next` is the next page, `successor-version` replaces a deprecated operation.',
    example: `<https://api.example.com${examplePath(({ paged }) => paged)}?limit=1&cursor=${exampleMember(Cursor).example}>; rel="next"`,
  },
  Deprecation: {
    description: 'The date on which the operation was deprecated.',
    schema: { pattern: '^@\\d+$' },
    example: '@1795132800',
  },
  Sunset: {
    description: 'The date on which the operation will be removed.',
    example: 'Thu, 05 Dec 2030 00:00:00 GMT',
  },
  'Retry-After': {
    description: 'The number of seconds to wait before a retry.',
    schema: { pattern: '^\\d+$' },
    example: '1',
    required: true,
  },
  'WWW-Authenticate': {
    description:
      'Why the API key was rejected (RFC 6750). API Gateway renames this header to `x-amzn-Remapped-WWW-Authenticate`.',
    example: `Bearer realm="${service.name}", error="invalid_token"`,
  },
}
