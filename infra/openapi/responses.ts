import { STATUS_CODES } from 'node:http'
import type { Row } from '../../shared/contract.ts'
import {
  type ApiError,
  badRequest,
  idempotencyKeyReused,
  notFound,
  serviceUnavailable,
  unauthorized,
} from '../../shared/model/api-error.ts'
import { fieldRules } from '../../shared/model/takes.ts'
import { gatewayAnswers } from '../gateway-answers.ts'
import { exampleOf } from './examples.ts'
import { errorHeaders, successHeaders } from './headers.ts'
import { type Json, jsonSchemaOf } from './schemas.ts'

/** The responses of an operation, by status. */
export const responsesOf = (row: Row): Json => {
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
const errorsOf = ({ params, query, headers, body }: Row): ApiError[] => [
  ...[body, query, headers]
    .flatMap((schema) => (schema ? [badRequest(`${fieldRules(schema)[0]?.[1]}.`)] : []))
    .slice(0, 1),
  unauthorized({ keyWasSent: true }),
  ...(params ? [notFound('No animal has the id 1.')] : []),
  ...(body ? [gatewayAnswers.payloadTooLarge, gatewayAnswers.unsupportedMediaType] : []),
  ...(headers && 'Idempotency-Key' in headers.entries ? [idempotencyKeyReused()] : []),
  gatewayAnswers.tooManyRequests,
  gatewayAnswers.internalServerError,
  gatewayAnswers.badGateway,
  serviceUnavailable(undefined),
  gatewayAnswers.gatewayTimeout,
]

const errorResponse = (row: Row, error: ApiError): Json => ({
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
