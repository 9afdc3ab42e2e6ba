/** The body of every error (interface, section 2). */
export type ErrorBody = { code: string; message: string; status: number }

/**
 * The only kind of error that a caller sees; whatever else is thrown is a bug, and answered with a 500 that says
 * nothing of it. `cause` is for the log, never for the caller.
 */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: string, message: string, { headers = {}, cause }: ErrorDetails = {}) {
    super(message, { cause })
    this.status = status
    this.code = code
    this.headers = headers
  }

  get body(): ErrorBody {
    return { code: this.code, message: this.message, status: this.status }
  }
}

type ErrorDetails = { headers?: Record<string, string>; cause?: unknown }

// One rule for codes, so that no client needs a table of them: the reason phrase of the HTTP status in snake_case.

/** The request holds a value that the operation does not take. */
export const badRequest = (message: string) => new ApiError(400, 'bad_request', message)

/** The API key is missing, or not one that is good here. One body for all of these: a stranger must not learn which. */
export const unauthorized = ({ keyWasSent }: { keyWasSent: boolean }) =>
  new ApiError(401, 'unauthorized', 'The API key is missing or invalid. Send it as: Authorization: Bearer <API_KEY>', {
    // RFC 6750, section 3: the error attribute only where a key was sent.
    headers: { 'WWW-Authenticate': `Bearer realm="pet-store"${keyWasSent ? ', error="invalid_token"' : ''}` },
  })

/** Nothing is at this address. */
export const notFound = (message: string) => new ApiError(404, 'not_found', message)

/**
 * How large a body may be, in KiB. Lambda takes 6 MB, envelope included, API Gateway 10 MB: a limit of our own, below
 * both, is the same everywhere.
 */
export const MAX_BODY_KIB = 256

/** The body is larger than that. */
export const payloadTooLarge = () =>
  new ApiError(413, 'payload_too_large', `The body must not be larger than ${MAX_BODY_KIB} KiB.`)

/** The body is not in a format that is read here. */
export const unsupportedMediaType = () =>
  new ApiError(415, 'unsupported_media_type', 'Send the body as JSON, with the header Content-Type: application/json')

/** Another body was sent with the same `Idempotency-Key`. (RFC 9110 renamed 422, which was "Unprocessable Entity".) */
export const idempotencyKeyReused = () =>
  new ApiError(
    422,
    'unprocessable_content',
    'This Idempotency-Key was used with another body within the last 24 hours. Send the same body, or use a new key.',
  )

/** A bug: the cause is in the log, under the request id that the response carries. */
export const internalServerError = (cause: unknown) =>
  new ApiError(500, 'internal_server_error', 'Something went wrong on our side. Report it with the X-Request-Id.', {
    cause,
  })

/** A part that the service needs is slow, throttling or away; the same request may succeed in a moment. */
export const serviceUnavailable = (cause: unknown) =>
  new ApiError(503, 'service_unavailable', 'The service is busy or partly down. Try again in a moment.', {
    headers: { 'Retry-After': '1' },
    cause,
  })
