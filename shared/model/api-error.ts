import { STATUS_CODES } from 'node:http'
import { service } from '../service.ts'
import { shortened } from './names.ts'

/** An error that callers may see; any other is a bug and becomes a 500. `cause` is only logged. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, { headers = {}, cause }: ErrorDetails = {}) {
    super(message, { cause })
    this.status = status
    this.code = errorCode(status)
    this.headers = headers
  }

  /** The body of the response. */
  get body() {
    return { code: this.code, message: this.message, status: this.status }
  }
}

type ErrorDetails = { headers?: Record<string, string>; cause?: unknown }

/** The code of an error: the reason phrase of its status in snake_case. */
export const errorCode = (status: number): string => {
  // Node.js still has the name that 422 had before RFC 9110.
  const phrase = status === 422 ? 'Unprocessable Content' : (STATUS_CODES[status] ?? 'Error')
  return phrase.toLowerCase().replaceAll(/\W+/g, '_')
}

/** A parameter, a header or the body is invalid. */
export const badRequest = (message: string) => new ApiError(400, message)

/** The API key is missing or invalid. One body for all cases: strangers must not learn which. */
export const unauthorized = ({ keyWasSent }: { keyWasSent: boolean }) => {
  const message = 'The API key is missing or invalid. Send it as: Authorization: Bearer <API_KEY>'
  // RFC 6750, section 3.1: no error attribute for a request without a key.
  return new ApiError(401, message, {
    headers: keyWasSent ? challenge('error="invalid_token"') : challenge(),
  })
}

/** The API key does not allow the operation (RFC 6750, section 3.1). */
export const insufficientScope = (scope: string) =>
  new ApiError(403, `This API key does not allow the operation. It needs the scope ${scope}.`, {
    headers: challenge('error="insufficient_scope"', `scope="${scope}"`),
  })

const challenge = (...attributes: string[]) => ({
  'WWW-Authenticate': [`Bearer realm="${service.name}"`, ...attributes].join(', '),
})

/** There is no such path, or no such resource. */
export const notFound = (message: string) => new ApiError(404, message)

/** No resource has the id. `kind` says what it would be, such as `pet`. */
export const unknownId = (kind: string, id: number | bigint) =>
  notFound(`No ${kind} has the id ${id}.`)

/** The request contradicts the state of a resource. */
export const conflict = (message: string) => new ApiError(409, message)

/** The largest body, in all environments. API Gateway accepts 10 MB, and Lambda 6 MB. */
export const MAX_BODY_KIB = 256

/** The resource has another revision than `If-Match` names (RFC 9110, section 15.5.13). */
export const preconditionFailed = (sentWeakTag = false) => {
  const hint = sentWeakTag ? ', without W/: a weak tag never matches' : ''
  return new ApiError(
    412,
    'The resource does not have the revision in If-Match. ' +
      `Read it again, and send its current ETag${hint}.`,
  )
}

/** The body is larger than `MAX_BODY_KIB`. */
export const payloadTooLarge = () =>
  new ApiError(413, `The body must not be larger than ${MAX_BODY_KIB} KiB.`)

/** The media types of a body. That of a PATCH is a JSON merge patch (RFC 7396) by either name. */
export const mediaTypes = (method: string): string[] =>
  method === 'PATCH' ? ['application/json', 'application/merge-patch+json'] : ['application/json']

/** The `Content-Type` of the body is none of those that the method takes. */
export const unsupportedMediaType = (sent: string, method: string) => {
  const problem = sent
    ? `The Content-Type ${shortened(sent, 50)} is not supported.`
    : 'The Content-Type is missing.'
  const allowed = mediaTypes(method)
  return new ApiError(415, `${problem} Send ${allowed.join(' or ')}.`, {
    headers: method === 'PATCH' ? { 'Accept-Patch': allowed.join(', ') } : {}, // RFC 5789, section 2.2
  })
}

/** The `Idempotency-Key` was used for another request. */
export const idempotencyKeyReused = () =>
  new ApiError(
    422,
    'This Idempotency-Key was used for another request within the last 24 hours. ' +
      'A new request needs a new key.',
  )

/** A bug. The log has the cause, under the request id in the response. */
export const internalServerError = (cause: unknown) =>
  new ApiError(500, 'Something went wrong on our side. Report it with the X-Request-Id.', {
    cause,
  })

/** A dependency is slow, throttling or unavailable. The same request may succeed in a moment. */
export const serviceUnavailable = (cause: unknown) =>
  new ApiError(503, 'The service is busy or partly down. Try again in a moment.', {
    headers: { 'Retry-After': '1' },
    cause,
  })
