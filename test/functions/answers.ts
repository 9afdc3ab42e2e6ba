import type { Event } from '../../shared/http.ts'

/** The whole answer expected to `event`: what every answer carries, and what this one has of its own. */
export const answer = (event: Event, { status, headers = {}, body }: Own) => ({
  status,
  headers: {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers':
      'Link, Location, X-Request-Id, Retry-After, Deprecation, Sunset, Idempotent-Replayed, WWW-Authenticate, x-amzn-Remapped-WWW-Authenticate',
    'Cache-Control': 'no-store',
    'Content-Type': 'application/json',
    'X-Request-Id': event.requestContext.extendedRequestId,
    ...headers,
  },
  body,
})

type Own = { status: number; headers?: Record<string, string>; body: unknown }

/** What every answer of getPet carries, on the execute-api address of the fixtures. */
export const deprecated = {
  Deprecation: '@1795132800', // 2026-11-20
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: '<https://abcdef1234.execute-api.eu-central-1.amazonaws.com/v1/pets>; rel="successor-version"',
}

export const badRequest = (message: string): Own => ({
  status: 400,
  body: { code: 'bad_request', message, status: 400 },
})

export const unauthorized = (challenge: string): Own => ({
  status: 401,
  headers: { 'WWW-Authenticate': challenge },
  body: {
    code: 'unauthorized',
    message: 'The API key is missing or invalid. Send it as: Authorization: Bearer <API_KEY>',
    status: 401,
  },
})

export const unavailable: Own = {
  status: 503,
  headers: { 'Retry-After': '1' },
  body: {
    code: 'service_unavailable',
    message: 'The service is busy or partly down. Try again in a moment.',
    status: 503,
  },
}
