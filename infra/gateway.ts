import { contract } from '../shared/contract.ts'
import { cors } from '../shared/http.ts'
import {
  ApiError,
  internalServerError,
  payloadTooLarge,
  unauthorized,
  unsupportedMediaType,
} from '../shared/model/api-error.ts'

/** Where the interface is described, below the base address: for programs, and for people. */
export const referencePaths = { document: '/openapi.json', page: '/docs' } as const

/** What may be sent there. All else is answered 404. */
export const referenceMethods = ['GET', 'OPTIONS']

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
export const gatewayResponses = {
  badRequest: new ApiError(400, 'bad_request', 'The request is malformed.'),
  unauthorized: unauthorized({ keyWasSent: false }),
  forbidden: new ApiError(403, 'forbidden', 'The request was refused.'),
  notFound: new ApiError(404, 'not_found', `There is no resource at this path. The API has ${addresses.join(', ')}.`),
  methodNotAllowed: (allowed: readonly string[]) =>
    new ApiError(405, 'method_not_allowed', `This path allows ${allowed.join(', ')}.`, {
      headers: { Allow: allowed.join(', ') }, // RFC 9110, section 15.5.6
    }),
  requestTimeout: new ApiError(408, 'request_timeout', 'The request did not arrive in time. Retry it.'),
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
  // What REST APIs answer, with 403, where no resource is.
  MISSING_AUTHENTICATION_TOKEN: gatewayResponses.notFound,
  QUOTA_EXCEEDED: gatewayResponses.tooManyRequests,
  REQUEST_TOO_LARGE: gatewayResponses.payloadTooLarge,
  RESOURCE_NOT_FOUND: gatewayResponses.notFound,
  THROTTLED: gatewayResponses.tooManyRequests,
  UNAUTHORIZED: gatewayResponses.unauthorized,
  UNSUPPORTED_MEDIA_TYPE: gatewayResponses.unsupportedMediaType,
  WAF_FILTERED: gatewayResponses.forbidden,
}

/** What every operation's function is given. Here without CDK: the local server keeps to the same time limit. */
export const functionSettings = {
  // DynamoDB gets at most 3 s for the key check and 3 s for the operation, after which the function answers 503 by
  // itself. Lambda's own limit, which answers without the Error body, must never come first: not after a slow start.
  timeoutSeconds: 10,
  // CPU comes with memory (a whole one at 1,769 MB), and a start is nothing but CPU. A request mostly waits, so the
  // time that the memory is paid for is short: for 10 ms, less than what Lambda takes for the request itself.
  memoryMegabytes: 1024,
} as const
