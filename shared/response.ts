import { stringifyJson } from './model/json.ts'
import { type Event, requestIdOf } from './request.ts'

/** A response as API Gateway takes it from a function. */
export type Result = { statusCode: number; headers: Record<string, string>; body: string }

/** What browsers may do (Fetch standard, CORS protocol). A bearer key is no cookie, so any page may call. */
export const cors = {
  allowedOrigin: '*',
  allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key'],
  maxAgeSeconds: 7200, // How long a browser may remember it; Chromium does not for longer.
  exposedHeaders: [
    'Link',
    'Location',
    'X-Request-Id',
    'Retry-After',
    'Deprecation',
    'Sunset',
    'Idempotent-Replayed',
    'WWW-Authenticate',
    'x-amzn-Remapped-WWW-Authenticate', // What API Gateway's REST APIs make of the one before.
  ],
}

const always = {
  'Access-Control-Allow-Origin': cors.allowedOrigin,
  'Access-Control-Expose-Headers': cors.exposedHeaders.join(', '),
  'Cache-Control': 'no-store',
  'Content-Type': 'application/json',
}

/** The headers that every response carries, those that API Gateway makes by itself included. */
export const commonHeaders = (requestId: string): Record<string, string> => ({ ...always, 'X-Request-Id': requestId })

/** The response to `event`. */
export const respond = (
  event: Event,
  { status, headers, body }: { status: number; headers?: Readonly<Record<string, string>> | undefined; body: unknown },
): Result => ({
  statusCode: status,
  headers: { ...commonHeaders(requestIdOf(event)), ...headers },
  body: stringifyJson(body),
})
