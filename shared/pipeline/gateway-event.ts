import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEventBase, Context } from 'aws-lambda'
import type { KeyHolder } from '../model/api-key.ts'
import { optionalSetting } from '../settings.ts'

/** The event of a REST API's Lambda proxy integration. `bearerKey` sets its authorizer. */
export type ProxyEvent = APIGatewayProxyEventBase<KeyHolder | undefined>

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

/** The path of the API for the caller: `/v1`, or the base path of a custom domain or a proxy. */
export const basePath = (event: ProxyEvent): string => {
  const publicUrl = optionalSetting('publicBaseUrl')
  if (publicUrl) return new URL(publicUrl).pathname.replace(/\/$/, '')
  return splitPath(event).base
}

/** The path of the request below the base address, without empty parts. */
export const pathBelowBase = (event: ProxyEvent): string => splitPath(event).below

/** The URL of a path below the base address, as the caller reaches it. */
export const absoluteUrl = (event: ProxyEvent, path: string): string => {
  const publicUrl = optionalSetting('publicBaseUrl')
  if (publicUrl) return publicUrl + path
  const host = headerValues(event, 'host').at(-1) ?? event.requestContext.domainName
  return `${scheme(event)}://${host}${basePath(event)}${path}`
}

const splitPath = ({ requestContext }: ProxyEvent) => {
  // `event.path` lacks the stage on an execute-api address. `requestContext.path` is always the
  // whole path, and ends with as many parts as the resource has: `/v1/pets/5` at `/pets/{petId}`.
  const parts = segments(requestContext.path)
  const baseLength = parts.length - segments(requestContext.resourcePath).length
  return { base: pathOf(parts.slice(0, baseLength)), below: pathOf(parts.slice(baseLength)) }
}

const pathOf = (parts: string[]): string => parts.map((part) => `/${part}`).join('')

const scheme = (event: ProxyEvent): 'http' | 'https' =>
  headerValues(event, 'x-forwarded-proto').at(-1) === 'http' ? 'http' : 'https'

/** Creates the result of a function. Its body is JSON, or empty. */
export const proxyResult = (
  event: ProxyEvent,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): ProxyResult => ({
  statusCode: status,
  headers: {
    ...commonHeaders(requestId(event), body !== ''),
    ...(scheme(event) === 'https' && httpsHeaders),
    ...headers,
  },
  body,
})

/**
 * The headers that pages may read (CORS): those of any response. API Gateway REST APIs rename
 * WWW-Authenticate to x-amzn-Remapped-WWW-Authenticate.
 */
export const EXPOSED_HEADERS =
  'X-Request-Id, Retry-After, Allow, Accept-Patch, WWW-Authenticate, ' +
  'x-amzn-Remapped-WWW-Authenticate, Link, Location, Idempotent-Replayed, ETag, Deprecation, Sunset'

/** The headers that every response has, gateway responses included. */
export const commonHeaders = (requestId: string, hasBody: boolean): Record<string, string> => ({
  // Any page may call: a bearer key is no cookie, so a list of pages would protect nothing.
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED_HEADERS,
  'Cache-Control': 'no-store',
  ...(hasBody && { 'Content-Type': 'application/json' }),
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': requestId,
})

/** The header of every response over HTTPS (RFC 6797). Subdomains are the owner's to decide on. */
export const httpsHeaders = { 'Strict-Transport-Security': 'max-age=31536000' }

const segments = (path: string): string[] => path.split('/').filter(Boolean)
