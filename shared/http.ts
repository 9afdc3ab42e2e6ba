import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEventBase, Context } from 'aws-lambda'
import type { ApiKey } from './model/api-key.ts'
import { stringifyJson } from './model/json.ts'

/**
 * What API Gateway sends a function: a REST API's Lambda proxy event. Who calls stands where an authorizer of API
 * Gateway's would put it; the middleware `bearerKey` does.
 */
export type Event = APIGatewayProxyEventBase<ApiKey | null | undefined>

/** Who sent the request, which has passed `bearerKey`. */
export const callerOf = ({ requestContext: { authorizer } }: Event): ApiKey => {
  if (!authorizer) throw new Error('The caller of a request is not known before bearerKey.')
  return authorizer
}

/** The values of a header, whatever the case that its name was sent in. */
export const headerValues = (event: Event, name: string): string[] => {
  const headers = event.multiValueHeaders ?? {}
  // The length first: it tells most names apart, and saves 4 of the 16 µs that come on top of what an operation does.
  const keys = Object.keys(headers).filter((key) => key.length === name.length && key.toLowerCase() === name)
  return keys.flatMap((key) => headers[key] ?? [])
}

/** The last value of a header; `undefined` where it was not sent. */
export const header = (event: Event, name: string): string | undefined => headerValues(event, name).at(-1)

/** The id of a request: the one of API Gateway's that a client cannot choose. */
export const requestIdOf = ({ requestContext }: Event): string =>
  requestContext.extendedRequestId ?? requestContext.requestId

/** The path at which the caller finds the API: `/v1`, or what a custom domain maps to it. */
export const basePath = ({ requestContext }: Event): string => {
  // `event.path` lacks the stage on an execute-api address; `requestContext.path` never lacks anything, and ends in
  // the parts of the resource.
  const parts = partsOf(requestContext.path)
  const kept = parts.slice(0, parts.length - partsOf(requestContext.resourcePath).length)
  return kept.map((part) => `/${part}`).join('')
}

/** The absolute address of a path of the API, on the host that the caller used. */
export const absoluteUrl = (event: Event, path: string): string => {
  const scheme = header(event, 'x-forwarded-proto') === 'http' ? 'http' : 'https'
  return `${scheme}://${header(event, 'host') ?? event.requestContext.domainName}${basePath(event)}${path}`
}

/** The query of the request with one parameter set and all others kept. */
export const queryWith = (event: Event, name: string, value: string): string => {
  const given = Object.entries(event.multiValueQueryStringParameters ?? {})
  const query = new URLSearchParams(
    given.flatMap(([key, values]) => (values ?? []).map((each): [string, string] => [key, each])),
  )
  query.set(name, value)
  return query.toString()
}

const partsOf = (path: string): string[] => path.split('/').filter(Boolean)

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

/** A step of the pipeline, and what the steps tell one another in `internal`. */
export type Middleware = MiddlewareObj<Event, Result, Error, Context, { errorCode?: string; startedAt?: number }>
