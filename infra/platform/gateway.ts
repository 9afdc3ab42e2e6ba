// How the gateway responds by itself, in AWS and locally. The local server loads this file, so it
// must not import CDK, which loads slowly.
import { entries } from '../../shared/contract.ts'
import {
  ApiError,
  internalServerError,
  mediaTypes,
  payloadTooLarge,
  unauthorized,
} from '../../shared/model/api-error.ts'
import { service } from '../../shared/service.ts'

/** Paths of the API reference, relative to the base address. */
export const referencePaths = {
  document: '/openapi.json',
  /** The page that shows the document. */
  page: '/docs',
} as const

/** Headers of all that is at these paths. */
export const referenceHeaders = {
  'Cache-Control': 'no-cache', // Every deployment may change it.
  'Referrer-Policy': 'no-referrer',
}

const routes = [
  ...Object.values(entries).map(({ method, path }) => `${method} ${service.basePath}${path}`),
  ...Object.values(referencePaths).map((path) => `GET ${service.basePath}${path}`),
]
const retryAfter = { headers: { 'Retry-After': '1' } }

/**
 * The error responses without a function, or in place of its response. API Gateway's own messages
 * may repeat parts of the request, such as an API key.
 */
export const gatewayResponses = {
  badRequest: new ApiError(400, 'The request is malformed.'),
  unknownMethod: new ApiError(
    400,
    'The request has an unknown method. Methods are written in upper case, such as PATCH.',
  ),
  unauthorized: unauthorized({ keyWasSent: false }),
  forbidden: new ApiError(403, 'The request was refused.'),
  notFound: new ApiError(
    404,
    `There is no resource at this path. The API has ${routes.join(', ')}.`,
  ),
  methodNotAllowed: (allowed: readonly string[]) =>
    new ApiError(405, `This path allows ${allowed.join(', ')}.`, {
      headers: { Allow: allowed.join(', ') }, // RFC 9110, section 15.5.6
    }),
  requestTimeout: new ApiError(408, 'The request did not arrive in time. Send it again.'),
  payloadTooLarge: payloadTooLarge(),
  unsupportedMediaType: new ApiError(
    415,
    'The body is not valid gzip or deflate, its Content-Encoding is neither, or its ' +
      'Content-Type is not application/json.',
  ),
  tooManyRequests: new ApiError(429, 'Too many requests. Try again in a moment.', retryAfter),
  headersTooLarge: new ApiError(431, 'The URL and headers must be smaller than 10240 bytes.'),
  internalServerError: internalServerError(undefined),
  // API Gateway sends it after a crash, and if Lambda throttles the function.
  badGateway: new ApiError(
    502,
    'Something went wrong on our side. Try again in a moment. If it happens again, report it ' +
      'with the X-Request-Id.',
    retryAfter,
  ),
  gatewayTimeout: new ApiError(
    504,
    'The service did not respond in time. Try again in a moment.',
    retryAfter,
  ),
}

/** The error response for each gateway response type (API Gateway developer guide). */
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

/**
 * The headers of the 204 to OPTIONS, a CORS preflight included (Fetch standard), for a path that
 * allows `methods` (RFC 9110, section 9.3.7). Any header is allowed: a list would block pages with
 * tracing.
 */
export const preflightHeaders = (methods: readonly string[]): Record<string, string> => ({
  Allow: methods.join(', '),
  ...(methods.includes('PATCH') && acceptPatch),
  // `*` does not cover Authorization. Old browsers know names only.
  'Access-Control-Allow-Headers': 'Authorization,Content-Type,Idempotency-Key,If-Match,*',
  // Any, so that a page can read a 405, and the 404 of a path that does not exist.
  'Access-Control-Allow-Methods': '*',
  'Access-Control-Max-Age': '7200', // The longest time for which Chromium caches it.
})

/** The media types of a change (RFC 5789, section 3.1). */
const acceptPatch = { 'Accept-Patch': mediaTypes('PATCH').join(', ') }
