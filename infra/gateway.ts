/**
 * What AWS and the local server must agree on, so that callers get the same responses from both. The local server imports
 * this file, so it must not import CDK.
 */

import { contract, type Operation } from '../shared/contract.ts'
import { type Access, type Table, tables } from '../shared/data/tables.ts'
import { cors } from '../shared/http.ts'
import {
  ApiError,
  internalServerError,
  payloadTooLarge,
  unauthorized,
  unsupportedMediaType,
} from '../shared/model/api-error.ts'
import { service } from '../shared/service.ts'
import { commonSettings, type SettingName, shardSettings } from '../shared/settings.ts'

/** Paths of the API reference, relative to the base address: the OpenAPI document, and the page that shows it. */
export const referencePaths = { document: '/openapi.json', page: '/docs' } as const

/** Methods that the reference paths allow. Any other method gets a 404. */
export const referenceMethods = ['GET', 'OPTIONS']

const routes = [
  ...Object.values(contract).map(({ method, path }) => `${method} ${service.basePath}${path}`),
  ...Object.values(referencePaths).map((path) => `GET ${service.basePath}${path}`),
]
const retryAfter = { headers: { 'Retry-After': '1' } }

/**
 * The error responses that are sent without a function, or in place of a function's response. The messages are fixed:
 * API Gateway's own messages may repeat parts of the request, such as an API key.
 */
export const gatewayResponses = {
  badRequest: new ApiError(400, 'bad_request', 'The request is malformed.'),
  unauthorized: unauthorized({ keyWasSent: false }),
  forbidden: new ApiError(403, 'forbidden', 'The request was refused.'),
  notFound: new ApiError(404, 'not_found', `There is no resource at this path. The API has ${routes.join(', ')}.`),
  methodNotAllowed: (allowed: readonly string[]) =>
    new ApiError(405, 'method_not_allowed', `This path allows ${allowed.join(', ')}.`, {
      headers: { Allow: allowed.join(', ') }, // RFC 9110, section 15.5.6
    }),
  payloadTooLarge: payloadTooLarge(),
  unsupportedMediaType: unsupportedMediaType(),
  tooManyRequests: new ApiError(429, 'too_many_requests', 'Too many requests. Try again in a moment.', retryAfter),
  internalServerError: internalServerError(undefined),
  badGateway: new ApiError(502, 'bad_gateway', 'Something went wrong on our side. Report it with the X-Request-Id.'),
  gatewayTimeout: new ApiError(
    504,
    'gateway_timeout',
    'The service did not respond in time. Try again in a moment.',
    retryAfter,
  ),
}

/**
 * The error response for each gateway response type of API Gateway:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
export const gatewayResponseTypes = {
  ACCESS_DENIED: gatewayResponses.forbidden,
  API_CONFIGURATION_ERROR: gatewayResponses.badGateway,
  AUTHORIZER_CONFIGURATION_ERROR: gatewayResponses.internalServerError,
  AUTHORIZER_FAILURE: gatewayResponses.internalServerError,
  BAD_REQUEST_BODY: gatewayResponses.badRequest,
  BAD_REQUEST_PARAMETERS: gatewayResponses.badRequest,
  DEFAULT_4XX: gatewayResponses.badRequest,
  DEFAULT_5XX: gatewayResponses.badGateway,
  EXPIRED_TOKEN: gatewayResponses.forbidden,
  INTEGRATION_FAILURE: gatewayResponses.badGateway,
  INTEGRATION_TIMEOUT: gatewayResponses.gatewayTimeout,
  INVALID_API_KEY: gatewayResponses.forbidden,
  INVALID_SIGNATURE: gatewayResponses.forbidden,
  // By default, REST APIs return this type with 403 for a path without a resource.
  MISSING_AUTHENTICATION_TOKEN: gatewayResponses.notFound,
  QUOTA_EXCEEDED: gatewayResponses.tooManyRequests,
  REQUEST_TOO_LARGE: gatewayResponses.payloadTooLarge,
  RESOURCE_NOT_FOUND: gatewayResponses.notFound,
  THROTTLED: gatewayResponses.tooManyRequests,
  UNAUTHORIZED: gatewayResponses.unauthorized,
  UNSUPPORTED_MEDIA_TYPE: gatewayResponses.unsupportedMediaType,
  WAF_FILTERED: gatewayResponses.forbidden,
}

/** The headers of the response to a CORS preflight request for a path that allows `methods` (Fetch standard). */
export const preflightHeaders = (methods: readonly string[]): Record<string, string> => ({
  'Access-Control-Allow-Headers': cors.allowedHeaders.join(','),
  'Access-Control-Allow-Methods': methods.join(','),
  'Access-Control-Max-Age': String(cors.maxAgeSeconds),
})

/** What the function of an operation may do with the tables: what its contract entry says, and reading API keys. */
export const accessOf = ({ access }: Operation): Access[] => [{ table: 'apiKeys', actions: ['GetItem'] }, ...access]

/** The settings that the function of an operation needs. */
export const settingsOf = ({ access, settings = [] }: Operation): SettingName[] => {
  const isSharded = access.some(({ table }) => (tables[table] as Table).sharded) // Only some literals have this property.
  return [...commonSettings, ...(isSharded ? shardSettings : []), ...settings]
}

/** Time limit and memory of every function. The local server applies the time limit too. */
export const functionSettings = {
  // DynamoDB gets at most 3 s for the key check and 3 s for the operation; then the function returns a 503. Lambda's own
  // time limit, whose response has no Error body, must not end a function before that, even after a slow cold start.
  timeoutSeconds: 10,
  // Lambda allots CPU in proportion to memory (one vCPU at 1,769 MB), and a cold start needs only CPU. A warm request
  // mostly waits and takes about 10 ms, for which the memory costs less than Lambda's charge for the request itself.
  memoryMegabytes: 1024,
} as const
