import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { entries, type OperationId, operationIds } from '../../../shared/contract.ts'
import { ApiError } from '../../../shared/model/api-error.ts'
import { PATH_PARAMETER } from '../../../shared/pipeline/entry.ts'
import { commonHeaders, type ProxyEvent } from '../../../shared/pipeline/gateway-event.ts'
import { service } from '../../../shared/service.ts'
import { openApiText } from '../../openapi/document.ts'
import { referencePage, referenceScriptText } from '../../openapi/reference.ts'
import {
  gatewayResponses,
  preflightHeaders,
  referenceHeaders,
  referenceMethods,
  referencePaths,
} from '../../platform/gateway.ts'
import { LOCAL_API_KEY } from '../database/credentials.ts'
import { proxyEvent } from './proxy-event.ts'
import { readRequest } from './request.ts'

const SCRIPT = '/docs.js'
let scriptBytes: Buffer | undefined

/** What everyone gets, by path, for the host that a request names. */
const documents: Record<string, (host: string) => Document> = {
  // Without the escapes that API Gateway needs, and with the address that generators need.
  [referencePaths.document]: (host) => ({
    headers: referenceHeaders,
    body: openApiText(`http://${host}`),
  }),
  // It gets its script from here, so it works without a network.
  [referencePaths.page]: () => referencePage(service.basePath + SCRIPT, LOCAL_API_KEY),
  [SCRIPT]: () => {
    // In bytes: Node.js would copy the text, of 4 MB, for each client that has not read it yet.
    scriptBytes ??= Buffer.from(referenceScriptText())
    return { headers: { 'Content-Type': 'text/javascript; charset=utf-8' }, body: scriptBytes }
  },
}

type Document = { headers: Record<string, string>; body: string | Buffer }

/** A response, of a function or without one. */
export type GatewayResponse = {
  statusCode: number
  headers?: Record<string, string> | undefined
  body?: string | Buffer | undefined
}

/** Creates a request id in the format of API Gateway's extended request ids. */
export const newRequestId = (): string => `${randomBytes(11).toString('base64url')}=`

/**
 * Responds to a request as API Gateway does: with a response of a function, or its own. `invoke`
 * throws an ApiError if a function fails.
 */
export const responseTo = async (
  message: IncomingMessage,
  requestId: string,
  maxBodyBytes: number,
  invoke: (id: OperationId, event: ProxyEvent) => Promise<GatewayResponse>,
): Promise<GatewayResponse> => {
  try {
    const request = await readRequest(message, maxBodyBytes)
    const route = findRoute(request.path)
    if (!route) throw gatewayResponses.notFound
    const operations = operationsAt(route.resource)
    const document = documents[route.resource]
    const methods = document ? referenceMethods : [...operations.keys(), 'OPTIONS']
    const { method = '' } = message
    const id = operations.get(method)
    if (id) return await invoke(id, proxyEvent(message, requestId, request, route))
    if (method === 'OPTIONS') return response(requestId, 204, preflightHeaders(methods))
    if (method !== 'GET' || !document) throw gatewayResponses.methodNotAllowed(methods)
    const { headers, body } = document(message.headers.host ?? '')
    return response(requestId, 200, headers, body)
  } catch (error) {
    if (error instanceof ApiError) return gatewayErrorResponse(requestId, error)
    console.error('Request %s failed:', requestId, error)
    return gatewayErrorResponse(requestId, gatewayResponses.badGateway)
  }
}

/** The operations at a path, by method. */
const operationsAt = (path: string): Map<string, OperationId> => {
  const ids = operationIds.filter((id) => entries[id].path === path)
  return new Map(ids.map((id) => [entries[id].method, id]))
}

/** The response with the body of an error. */
export const gatewayErrorResponse = (
  requestId: string,
  { status, headers, body }: ApiError,
): GatewayResponse => response(requestId, status, headers, JSON.stringify(body))

const response = (
  requestId: string,
  statusCode: number,
  headers: Record<string, string>,
  body?: string | Buffer,
): GatewayResponse => ({
  statusCode,
  headers: { ...commonHeaders(requestId, body !== undefined), ...headers },
  ...(body && { body }),
})

/** Returns a function that finds the template of a path; `undefined` if there is none. */
export const routeFinder = (templates: string[]) => {
  // API Gateway prefers literal parts, whose characters all sort before `{`.
  const sorted = templates.toSorted()
  const resources = sorted.map((resource) => ({ resource, pattern: pathPattern(resource) }))
  return (path: string) => {
    for (const { resource, pattern } of resources) {
      const match = pattern.exec(path)
      if (match) return { resource, pathParameters: match.groups ?? null }
    }
    return undefined
  }
}

// As in API Gateway, a trailing slash and repeated slashes after the stage are ignored.
const pathPattern = (template: string): RegExp => {
  const escaped = template.slice(1).replaceAll('.', '\\.')
  const parts = escaped.replaceAll(PATH_PARAMETER, '(?<$1>[^/]+)')
  return new RegExp(`^${service.basePath}/+${parts}/?$`)
}

const findRoute = routeFinder([
  ...Object.keys(documents),
  ...operationIds.map((id) => entries[id].path),
])
