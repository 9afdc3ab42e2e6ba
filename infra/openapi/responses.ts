import { STATUS_CODES } from 'node:http'
import type { Operation } from '../../shared/contract.ts'
import { fieldRules } from '../../shared/input.ts'
import {
  type ApiError,
  badRequest,
  idempotencyKeyReused,
  notFound,
  serviceUnavailable,
  unauthorized,
} from '../../shared/model/api-error.ts'
import { gatewayResponses } from '../gateway.ts'
import { exampleOf, type Json, jsonSchemaOf } from './schemas.ts'

/** The responses of an operation, by status. */
export const responsesOf = (row: Operation): Json => {
  const { status, body } = row.success
  const json = { schema: jsonSchemaOf(body), ...exampleOf(body) }
  const success = {
    description: `${STATUS_CODES[status]}.`,
    headers: successHeaders(row),
    content: { 'application/json': json },
  }
  const errors = errorsOf(row).map((error) => [error.status, errorResponse(row, error)])
  return { [status]: success, ...Object.fromEntries(errors) }
}

/** What can be wrong with a request to an operation, each with a message that it gets. */
const errorsOf = ({ params, query, headers, body }: Operation): ApiError[] => [
  ...[body, query, headers]
    .flatMap((schema) => (schema ? [badRequest(`${fieldRules(schema)[0]?.[1]}.`)] : []))
    .slice(0, 1),
  unauthorized({ keyWasSent: true }),
  ...(params ? [notFound('No pet has the id 1.')] : []),
  ...(body ? [gatewayResponses.payloadTooLarge, gatewayResponses.unsupportedMediaType] : []),
  ...(headers && 'Idempotency-Key' in headers.entries ? [idempotencyKeyReused()] : []),
  gatewayResponses.tooManyRequests,
  gatewayResponses.internalServerError,
  gatewayResponses.badGateway,
  serviceUnavailable(undefined),
  gatewayResponses.gatewayTimeout,
]

const errorResponse = (row: Operation, error: ApiError): Json => ({
  description: DESCRIPTIONS[error.status] ?? `${STATUS_CODES[error.status]}.`,
  headers: errorHeaders(row, error),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: error.body } },
})

const DESCRIPTIONS: Record<number, string> = {
  400: 'A parameter, a header or a field is not what it may be; the message names each.',
  401: 'The API key is missing or invalid.',
  404: 'The requested resource could not be found.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The `Idempotency-Key` was sent with another body before.',
  429: 'Too many requests.',
  500: 'A bug of the service.',
  502: 'A failure of the service.',
  503: 'The database is slow, throttling or away.',
  504: 'The service took too long.',
}

/** The headers of a success. */
export const successHeaders = (row: Operation): Json =>
  pick([
    ...ALWAYS,
    ...(row.success.status === 201 ? ['Location'] : []),
    ...(row.headers && 'Idempotency-Key' in row.headers.entries ? ['Idempotent-Replayed'] : []),
    ...(row.query && 'cursor' in row.query.entries ? ['Link'] : []),
    ...deprecationOf(row),
  ])

/** The headers of an error. */
export const errorHeaders = (row: Operation, { headers }: ApiError): Json =>
  pick([...ALWAYS, ...Object.keys(headers), ...deprecationOf(row)])

/** The headers of all responses, for the components of the document. */
export const componentHeaders = (): Json => headers

const ALWAYS = ['X-Request-Id']

const deprecationOf = ({ deprecated }: Operation): string[] => (deprecated ? ['Deprecation', 'Sunset', 'Link'] : [])

const pick = (names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const text = (description: string, example: string, more: Json = {}): Json => ({
  description,
  schema: { type: 'string', ...more },
  example,
})

const always = (header: Json): Json => ({ ...header, required: true })

const headers: Json = {
  'X-Request-Id': always(text('Names the request in the logs of the service.', 'WtooPXbkRGDu1bY=')),
  Location: always(text('The path of what was added.', '/v1/pets/373212905455903', { pattern: '/pets/\\d+$' })),
  'Idempotent-Replayed': text('An earlier request with the same key has added the pet.', 'true', { const: 'true' }),
  Link: text(
    'Addresses (RFC 8288): `next` is the next page of a list, `successor-version` what replaces a deprecated operation.',
    '<https://api.example.com/v1/pets?limit=1&cursor=AAFTb0vWvW4eQ0pM>; rel="next"',
  ),
  Deprecation: text('Since when the operation is deprecated (RFC 9745).', '@1795132800', { pattern: '^@\\d+$' }),
  Sunset: text('When the operation is removed (RFC 8594).', 'Thu, 05 Dec 2030 00:00:00 GMT'),
  'Retry-After': always(text('After how many seconds to send the request again.', '1', { pattern: '^\\d+$' })),
  'WWW-Authenticate': text(
    'What is wrong with the key (RFC 6750). API Gateway renames it to `x-amzn-Remapped-WWW-Authenticate`.',
    'Bearer realm="pet-store", error="invalid_token"',
  ),
}
