import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEventBase, Context } from 'aws-lambda'
import { entries } from '../contract.ts'
import type { Caller } from '../model/api-key.ts'
import { noticeHeaders, requestHeaders, successHeaders } from './entry.ts'

/** The event of a REST API's Lambda proxy integration. `bearerKey` sets its authorizer. */
export type ProxyEvent = APIGatewayProxyEventBase<Caller | undefined>

/** What API Gateway makes the response from. */
export type ProxyResult = { statusCode: number; headers: Record<string, string>; body: string }

/** A step of the pipeline. */
export type Middleware = MiddlewareObj<ProxyEvent, ProxyResult, Error, Context, Internal>

/** What a step keeps from a request for its response. */
export type Internal = { startedAt?: number }

/** The id of a request: the one that clients cannot choose, if the event has it. */
export const requestId = ({ requestContext }: ProxyEvent): string =>
  requestContext.extendedRequestId ?? requestContext.requestId

/** All values of a header. `name` is in lower case; the event may have it in any case. */
export const headerValues = (event: ProxyEvent, name: string): string[] => {
  const headers = Object.entries(event.multiValueHeaders ?? {})
  return headers.flatMap(([key, values = []]) => (key.toLowerCase() === name ? values : []))
}

/** The last value of a header. `name` is in lower case. */
export const header = (event: ProxyEvent, name: string): string | undefined =>
  headerValues(event, name).at(-1)

/** The path of the API for the caller: `/v1`, or the base path of a custom domain. */
export const basePath = ({ requestContext }: ProxyEvent): string => {
  // `event.path` lacks the stage on an execute-api address. `requestContext.path` is always the
  // whole path, and ends with as many parts as the resource has: `/v1/pets/5` at `/pets/{petId}`.
  const parts = segments(requestContext.path)
  const base = parts.slice(0, parts.length - segments(requestContext.resourcePath).length)
  return base.map((part) => `/${part}`).join('')
}

/** The path of the request, without empty parts. */
export const requestPath = ({ requestContext }: ProxyEvent): string =>
  `/${segments(requestContext.path).join('/')}`

/** The absolute URL of a path, on the host that the caller used. */
export const absoluteUrl = (event: ProxyEvent, path: string): string => {
  const scheme = header(event, 'x-forwarded-proto') === 'http' ? 'http' : 'https'
  return `${scheme}://${header(event, 'host') ?? event.requestContext.domainName}${path}`
}

/** Creates the result of a function. Its body is JSON, or empty. */
export const proxyResult = (
  event: ProxyEvent,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): ProxyResult => ({
  statusCode: status,
  headers: { ...commonHeaders(requestId(event), body !== ''), ...headers },
  body,
})

const allEntries = Object.values(entries)

/** CORS (Fetch standard). Any origin may call, because a bearer key is not a cookie. */
export const cors = {
  allowedOrigin: '*',
  allowedHeaders: [
    ...new Set(['Authorization', 'Content-Type', ...allEntries.flatMap(requestHeaders)]),
  ],
  maxAgeSeconds: 7200, // The longest time for which Chromium caches a preflight response.
  exposedHeaders: [
    'X-Request-Id',
    'Retry-After',
    'WWW-Authenticate',
    'x-amzn-Remapped-WWW-Authenticate', // API Gateway REST APIs rename WWW-Authenticate to this.
    ...new Set(allEntries.flatMap((entry) => [...successHeaders(entry), ...noticeHeaders(entry)])),
  ],
}

/** The headers that every response has, gateway responses included. */
export const commonHeaders = (requestId: string, hasBody: boolean): Record<string, string> => ({
  'Access-Control-Allow-Origin': cors.allowedOrigin,
  'Access-Control-Expose-Headers': cors.exposedHeaders.join(', '),
  'Cache-Control': 'no-store',
  ...(hasBody && { 'Content-Type': 'application/json' }),
  'X-Request-Id': requestId,
})

const segments = (path: string): string[] => path.split('/').filter(Boolean)
