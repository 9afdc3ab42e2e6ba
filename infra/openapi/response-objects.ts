import { STATUS_CODES } from 'node:http'
import * as v from 'valibot'
import {
  type ApiError,
  badRequest,
  idempotencyKeyReused,
  insufficientScope,
  notFound,
  preconditionFailed,
  serviceUnavailable,
  unauthorized,
  unsupportedMediaType,
} from '../../shared/model/api-error.ts'
import {
  returnsResource,
  successStatus,
  takesIdempotencyKey,
  takesIfMatch,
} from '../../shared/pipeline/by-method.ts'
import type { AnyEntry } from '../../shared/pipeline/entry.ts'
import { hasLocation } from '../../shared/pipeline/responses.ts'
import { gatewayResponses } from '../platform/gateway.ts'
import { headerReferences } from './headers.ts'
import { exampleOf, type Json, jsonContent, jsonSchema, responseSchema } from './schemas.ts'

/** The responses of an operation, by status. */
export const responseObjects = (entry: AnyEntry): Json => {
  const responses: Json = { [successStatus(entry)]: successResponse(entry) }
  for (const error of errorsAround(entry)) responses[error.status] = errorResponse(entry, error, [])
  const replayed = takesIdempotencyKey(entry) ? ['Idempotent-Replayed'] : []
  for (const error of errorsOfFunction(entry))
    responses[error.status] = errorResponse(entry, error, replayed)
  return responses
}

const successResponse = (entry: AnyEntry): Json => {
  const schema = responseSchema(entry)
  return {
    description: `${STATUS_CODES[successStatus(entry)]}.`,
    headers: headerReferences(entry, sentHeaders(entry)),
    content: schema && jsonContent(jsonSchema(schema), responseExample(entry, schema)),
  }
}

/** The headers of a success, besides those of every response. */
const sentHeaders = (entry: AnyEntry): string[] => [
  ...(hasLocation(entry) ? ['Location'] : []),
  ...(takesIdempotencyKey(entry) ? ['Idempotent-Replayed'] : []),
  ...(entry.pages ? ['Link'] : []),
  ...(returnsResource(entry) ? ['ETag'] : []),
]

/** After `PATCH { name: 'Max' }`, the example of a pet has the name Max. */
const responseExample = ({ body }: AnyEntry, response: v.GenericSchema): unknown => {
  const example = exampleOf(response)
  if (!body || example === undefined) return example
  const changed = { ...Object(example), ...Object(exampleOf(body)) }
  return v.safeParse(response, changed).output
}

/** The errors of the pipeline and of API Gateway. Their messages are descriptions here. */
const errorsAround = (entry: AnyEntry): ApiError[] => [
  badRequest('The body, a parameter or a header is invalid. The message names it.'),
  unauthorized({ keyWasSent: true }),
  insufficientScope(entry.scope),
  ...(entry.body
    ? [gatewayResponses.payloadTooLarge, unsupportedMediaType('text/plain', entry.method)]
    : []),
  ...(takesIdempotencyKey(entry) ? [idempotencyKeyReused()] : []),
  gatewayResponses.tooManyRequests,
  gatewayResponses.internalServerError,
  gatewayResponses.badGateway,
  serviceUnavailable(undefined),
  gatewayResponses.gatewayTimeout,
]

/** The errors of the function, each of which may be the response to an earlier request. */
const errorsOfFunction = (entry: AnyEntry): ApiError[] => [
  ...(entry.params ? [notFound('Nothing has this identifier, or it is invalid.')] : []),
  ...(takesIfMatch(entry) ? [preconditionFailed()] : []),
  ...(entry.errors ?? []),
]

const errorResponse = (entry: AnyEntry, error: ApiError, further: string[]): Json => ({
  description: error.message,
  headers: headerReferences(entry, [...Object.keys(error.headers), ...further]),
  content: jsonContent(
    { $ref: '#/components/schemas/Error' },
    entry.errors?.includes(error) ? error.body : undefined,
  ),
})
