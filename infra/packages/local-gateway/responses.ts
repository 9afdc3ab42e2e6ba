import type { IncomingMessage } from 'node:http'
import { readBody } from './body.ts'
import { proxyEvent } from './proxy-event.ts'
import type { ErrorResponse, GatewayOptions, GatewayResponse, Route } from './types.ts'

/**
 * Decides on the response to a request. Throws what its route throws, and if the client disconnects
 * before the request is complete.
 */
export type Respond = (message: IncomingMessage, id: string) => Promise<GatewayResponse>

/** Returns a function that responds to requests: with their routes, or for the gateway itself. */
export const responder = (options: GatewayOptions): Respond => {
  const { basePath, errors, commonHeaders, preflightHeaders } = options
  const find = resourceFinder(basePath, options.routes)
  return async (message, id) => {
    const { method, url = '', headersDistinct, httpVersion } = message
    const refused = (error: ErrorResponse) => errorResponse(options, id, error)
    const body = await readBody(message)
    if (typeof body === 'string') return refused(errors[body])
    const hosts = headersDistinct.host ?? (httpVersion === '1.0' ? ['localhost'] : [])
    const [host = ''] = hosts
    if (hosts.length > 1 || !HOST.test(host)) return refused(errors.badRequest)
    // A target in absolute form has the host before the path (RFC 9112, section 3.2.2).
    const target = url.replace(/^https?:\/\/[^/?]*/i, '').replace(/^\/+/, '/')
    const [path = '', query = ''] = target.split(/\?(.*)/s)
    const { routes, ...found } = find(path)
    const methods = [...routes.map((each) => each.method), 'OPTIONS']
    // It asks for permission, not for the resource, which need not exist.
    if (method === 'OPTIONS') {
      const headers = { ...commonHeaders(id, false), ...preflightHeaders(methods) }
      return { statusCode: 204, headers }
    }
    if (routes.length === 0) return refused(errors.notFound)
    const route = routes.find((each) => each.method === method)
    if (!route) return refused(errors.methodNotAllowed(methods))
    return route.invoke(proxyEvent(message, { ...found, id, host, basePath, path, query, body }))
  }
}

/** An error response of the gateway, with the common headers. */
export const errorResponse = (
  { commonHeaders }: GatewayOptions,
  id: string,
  { status, headers, body }: ErrorResponse,
): GatewayResponse => ({
  statusCode: status,
  headers: { ...commonHeaders(id, true), ...headers },
  body: JSON.stringify(body),
})

// Links in responses repeat it.
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i

/** Returns a function that finds the routes of a path, their template and its parameters. */
const resourceFinder = (basePath: string, routes: readonly Route[]) => {
  // API Gateway prefers literal parts, whose characters all sort before `{`.
  const resources = [...Map.groupBy(routes, ({ path }) => path)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, routes]) => ({ resource, routes, pattern: pathPattern(basePath, resource) }))
  return (path: string) => {
    const found = resources.find(({ pattern }) => pattern.test(path))
    const pathParameters = found?.pattern.exec(path)?.groups ?? null
    return { resource: found?.resource ?? '', routes: found?.routes ?? [], pathParameters }
  }
}

// As in API Gateway, a trailing slash and repeated slashes after the stage are ignored.
const pathPattern = (basePath: string, template: string): RegExp => {
  const escaped = template.slice(1).replaceAll('.', '\\.')
  const parts = escaped.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  return new RegExp(`^${basePath}/+${parts}/?$`)
}
