import { contract } from '../shared/contract.ts'
import {
  ApiError,
  internalServerError,
  payloadTooLarge,
  unauthorized,
  unsupportedMediaType,
} from '../shared/model/api-error.ts'
import { cors } from '../shared/response.ts'
import { referencePaths } from './openapi/reference-paths.ts'

const addresses = [
  ...Object.values(contract).map(({ method, path }) => `${method} /v1${path}`),
  ...Object.values(referencePaths).map((path) => `GET /v1${path}`),
]
const retrySoon = { headers: { 'Retry-After': '1' } }

/**
 * What is answered without a function: what API Gateway finds wrong by itself, or with a function's answer. One
 * definition for every place that the API is served from, so that callers get the same there. The messages are fixed:
 * API Gateway's own may repeat what was sent, an API key included.
 */
export const gatewayAnswers = {
  badRequest: new ApiError(400, 'bad_request', 'The request is malformed.'),
  unauthorized: unauthorized({ keyWasSent: false }),
  forbidden: new ApiError(403, 'forbidden', 'The request was refused.'),
  notFound: new ApiError(404, 'not_found', `Nothing is at this address. The API has ${addresses.join(', ')}.`),
  methodNotAllowed: (allowed: readonly string[]) =>
    new ApiError(405, 'method_not_allowed', `This address takes ${allowed.join(', ')}.`, {
      headers: { Allow: allowed.join(', ') }, // RFC 9110, section 15.5.6
    }),
  requestTimeout: new ApiError(408, 'request_timeout', 'The request did not arrive in time. Send it again.'),
  payloadTooLarge: payloadTooLarge(),
  unsupportedMediaType: unsupportedMediaType(),
  tooManyRequests: new ApiError(429, 'too_many_requests', 'Too many requests. Try again in a moment.', retrySoon),
  headersTooLarge: new ApiError(431, 'request_header_fields_too_large', 'The headers must not be larger than 10 KB.'),
  internalServerError: internalServerError(undefined),
  badGateway: new ApiError(502, 'bad_gateway', 'Something went wrong on our side. Report it with the X-Request-Id.'),
  gatewayTimeout: new ApiError(
    504,
    'gateway_timeout',
    'The service did not answer in time. Try again in a moment.',
    retrySoon,
  ),
}

/** What a browser is told that asks what it may send with which of the `methods`. */
export const preflightHeaders = (methods: readonly string[]): Record<string, string> => ({
  'Access-Control-Allow-Headers': cors.allowedHeaders.join(','),
  'Access-Control-Allow-Methods': methods.join(','),
  'Access-Control-Max-Age': String(cors.maxAgeSeconds),
})

/**
 * Which of these API Gateway gives when it answers by itself, for each of its gateway response types:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
export const gatewayResponseTypes = {
  ACCESS_DENIED: gatewayAnswers.forbidden,
  API_CONFIGURATION_ERROR: gatewayAnswers.badGateway,
  AUTHORIZER_CONFIGURATION_ERROR: gatewayAnswers.internalServerError,
  AUTHORIZER_FAILURE: gatewayAnswers.internalServerError,
  BAD_REQUEST_BODY: gatewayAnswers.badRequest,
  BAD_REQUEST_PARAMETERS: gatewayAnswers.badRequest,
  DEFAULT_4XX: gatewayAnswers.badRequest,
  DEFAULT_5XX: gatewayAnswers.badGateway,
  EXPIRED_TOKEN: gatewayAnswers.forbidden,
  INTEGRATION_FAILURE: gatewayAnswers.badGateway,
  INTEGRATION_TIMEOUT: gatewayAnswers.gatewayTimeout,
  INVALID_API_KEY: gatewayAnswers.forbidden,
  INVALID_SIGNATURE: gatewayAnswers.forbidden,
  // What REST APIs answer, with 403, where no resource is.
  MISSING_AUTHENTICATION_TOKEN: gatewayAnswers.notFound,
  QUOTA_EXCEEDED: gatewayAnswers.tooManyRequests,
  REQUEST_TOO_LARGE: gatewayAnswers.payloadTooLarge,
  RESOURCE_NOT_FOUND: gatewayAnswers.notFound,
  THROTTLED: gatewayAnswers.tooManyRequests,
  UNAUTHORIZED: gatewayAnswers.unauthorized,
  UNSUPPORTED_MEDIA_TYPE: gatewayAnswers.unsupportedMediaType,
  WAF_FILTERED: gatewayAnswers.forbidden,
}
