import { cors, type Event } from '../../shared/http.ts'

type Expected = { status: number; headers?: Record<string, string>; body?: unknown }

/** The whole response that a test expects to `event`: the headers that every response has, and `expected`. */
export const responseTo = (event: Event, { status, headers = {}, body }: Expected) => ({
  status,
  headers: {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': cors.exposedHeaders.join(', '),
    'Cache-Control': 'no-store',
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    'X-Request-Id': event.requestContext.extendedRequestId,
    ...headers,
  },
  body,
})

/** An error response. */
export const errorResponse = (status: number, code: string, message: string, headers = {}): Expected => ({
  status,
  headers,
  body: { code, message, status },
})

export const badRequest = (message: string) => errorResponse(400, 'bad_request', message)

export const unauthorized = (challenge: string, headers = {}) =>
  errorResponse(401, 'unauthorized', 'The API key is missing or invalid. Send it as: Authorization: Bearer <API_KEY>', {
    'WWW-Authenticate': challenge,
    ...headers,
  })

export const unavailable = errorResponse(
  503,
  'service_unavailable',
  'The service is busy or partly down. Try again in a moment.',
  { 'Retry-After': '1' },
)
