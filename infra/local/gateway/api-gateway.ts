import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { contract, type OperationId } from '../../../shared/contract.ts'
import { ApiError } from '../../../shared/model/api-error.ts'
import { keysOf } from '../../../shared/model/keys.ts'
import type { Entry } from '../../../shared/pipeline/entry.ts'
import { commonHeaders, type Event } from '../../../shared/pipeline/http.ts'
import { service } from '../../../shared/service.ts'
import {
  gatewayResponses,
  preflightHeaders,
  referenceHeaders,
  referenceMethods,
  referencePaths,
} from '../../gateway.ts'
import { openApiText } from '../../openapi/document.ts'
import type { ProxyResponse } from './lambda.ts'
import { pageDocuments } from './page.ts'
import { proxyEvent } from './proxy-event.ts'
import { readBody, readTarget } from './request.ts'

/** What everyone gets, by path, for the host that a request names. */
const documents: Record<string, (host: string) => Document> = {
  // Without the escapes that API Gateway needs, and with the address that generators need.
  [referencePaths.document]: (host) => ({
    headers: referenceHeaders,
    body: openApiText(`http://${host}`),
  }),
  ...pageDocuments,
}
const documentPaths = Object.keys(documents)

type Document = { headers: Record<string, string>; body: string | Buffer }

/** A response, of a function or without one. */
export type GatewayResponse = Omit<ProxyResponse, 'body'> & { body?: string | Buffer | undefined }

/** Creates a request id in the format of API Gateway's extended request ids. */
export const newRequestId = (): string => `${randomBytes(11).toString('base64url')}=`

/** Runs the function of an operation. Throws an ApiError if it fails. */
export type Invoke = (id: OperationId, event: Event) => Promise<ProxyResponse>

/** Responds to a request as API Gateway does: with a response of a function, or its own. */
export const responseTo = async (
  message: IncomingMessage,
  requestId: string,
  maxBodyBytes: number,
  invoke: Invoke,
): Promise<GatewayResponse> => {
  try {
    // The body comes first: some clients read no response while they are still sending.
    const body = await readBody(message, maxBodyBytes)
    const { path, query } = readTarget(message)
    const route = findRoute(path)
    if (!route) throw gatewayResponses.notFound
    const methods = allowedMethods(route)
    if (message.method === 'OPTIONS') return response(requestId, 204, preflightHeaders(methods))
    const id = route.operations[message.method ?? '']
    if (id) return await invoke(id, proxyEvent({ message, path, query, body, requestId, ...route }))
    const document = documents[route.resource]
    if (message.method !== 'GET' || !document) throw gatewayResponses.methodNotAllowed(methods)
    const { headers, body: content } = document(message.headers.host ?? '')
    return response(requestId, 200, headers, content)
  } catch (error) {
    if (error instanceof ApiError) return gatewayErrorResponse(requestId, error)
    console.error('Request %s failed:', requestId, error)
    return gatewayErrorResponse(requestId, gatewayResponses.badGateway)
  }
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

/** A resource of API Gateway: its path template, and its operations by method. */
type Resource<Id> = { resource: string; operations: Partial<Record<string, Id>> }
type GatewayRoute<Id> = Resource<Id> & { pathParameters: Record<string, string> | null }

/** Returns a function that finds the resource of a path; `undefined` if there is none. */
export const routeFinder = <Id extends string>(
  contract: Record<Id, Pick<Entry, 'method' | 'path'>>,
) => {
  const ids = keysOf(contract)
  // API Gateway prefers literal parts, whose characters all sort before `{`.
  const templates = [...new Set([...documentPaths, ...ids.map((id) => contract[id].path)])].sort()
  const resources = templates.map((resource) => {
    const own = ids.filter((id) => contract[id].path === resource)
    const operations = Object.fromEntries(own.map((id) => [contract[id].method, id]))
    return { resource, operations, pattern: pathPattern(resource) }
  })
  return (path: string): GatewayRoute<Id> | undefined => {
    for (const { pattern, ...resource } of resources) {
      const match = pattern.exec(path)
      if (match) return { ...resource, pathParameters: match.groups ?? null }
    }
    return undefined
  }
}

// As in API Gateway, a trailing slash and repeated slashes after the stage are ignored.
const pathPattern = (template: string): RegExp => {
  const escaped = template.slice(1).replaceAll('.', '\\.')
  const parts = escaped.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  return new RegExp(`^${service.basePath}/+${parts}/?$`)
}

const findRoute = routeFinder(contract)

const allowedMethods = ({ resource, operations }: GatewayRoute<OperationId>): string[] =>
  documentPaths.includes(resource) ? referenceMethods : [...Object.keys(operations), 'OPTIONS']
