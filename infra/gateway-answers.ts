import { contract } from '../shared/contract.ts'
import { ApiError } from '../shared/model/api-error.ts'

const addresses = Object.values(contract).map(({ method, path }) => `${method} /v1${path}`)

/**
 * What is answered without a function: what API Gateway finds wrong by itself, or with a function's answer. One
 * definition for every place that the API is served from, so that callers get the same there.
 */
export const gatewayAnswers = {
  badRequest: new ApiError(400, 'bad_request', 'The request is not well-formed HTTP.'),
  notFound: new ApiError(404, 'not_found', `Nothing is at this address. The API has ${addresses.join(', ')}.`),
  methodNotAllowed: (allowed: readonly string[]) =>
    new ApiError(405, 'method_not_allowed', `This address takes ${allowed.join(', ')}.`, {
      headers: { Allow: allowed.join(', ') }, // RFC 9110, section 15.5.6
    }),
  requestTimeout: new ApiError(408, 'request_timeout', 'The request did not arrive in time. Send it again.'),
  payloadTooLarge: new ApiError(413, 'payload_too_large', 'The request must not be larger than 10 MB.'),
  headersTooLarge: new ApiError(431, 'request_header_fields_too_large', 'The headers must not be larger than 10 KB.'),
  badGateway: new ApiError(502, 'bad_gateway', 'Something went wrong on our side. Report it with the X-Request-Id.'),
  gatewayTimeout: new ApiError(504, 'gateway_timeout', 'The service did not answer in time. Try again in a moment.'),
}
