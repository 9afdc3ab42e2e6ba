import { entries, type OperationId, operationIds } from '../../shared/contract.ts'
import { ApiError } from '../../shared/model/api-error.ts'
import {
  absoluteUrl,
  commonHeaders,
  type ProxyEvent,
  type ProxyResult,
  proxyResult,
} from '../../shared/pipeline/gateway-event.ts'
import { service } from '../../shared/service.ts'
import { openApiText } from '../openapi/document.ts'
import { referencePage, referenceScriptText } from '../openapi/reference.ts'
import { createGateway } from '../packages/local-gateway/index.ts'
import {
  gatewayResponses,
  preflightHeaders,
  referenceHeaders,
  referencePaths,
} from '../platform/gateway.ts'
import { LOCAL_API_KEY } from './database/local-api-key.ts'
import { type Handler, invoke } from './lambda.ts'
import { atMost } from './queue.ts'

/** A method of a path such as `/pets/{petId}`, and the function that responds to it. */
export type Route = {
  method: string
  path: string
  invoke: (event: ProxyEvent) => Promise<ProxyResult>
}

/** Creates the HTTP server of the local API: its operations and its reference. */
export const createLocalApi = (handlers: Record<OperationId, Handler>, timeoutMs?: number) => {
  // Hundreds of functions at once would delay each other until their database calls time out.
  const queue = atMost(16)
  const operations = operationIds.map((id) => ({
    ...entries[id],
    invoke: (event: ProxyEvent) => queue(() => invoke(id, handlers[id], event, timeoutMs)),
  }))
  return serveRoutes([...operations, ...reference])
}

/** Creates an HTTP server that has routes below the base path of the service. */
export const serveRoutes = (routes: Route[]) =>
  createGateway({
    basePath: service.basePath,
    paths: routes.map(({ path }) => path),
    invoke: (event) => respond(event, routes),
    errors: gatewayResponses,
    errorResponse,
  })

const respond = async (event: ProxyEvent, routes: Route[]): Promise<ProxyResult> => {
  const ofPath = routes.filter(({ path }) => path === event.resource)
  const route = ofPath.find(({ method }) => method === event.httpMethod)
  if (route) return route.invoke(event)
  const allowed = [...ofPath.map(({ method }) => method), 'OPTIONS']
  // It asks for permission, not for the resource, which need not exist.
  if (event.httpMethod === 'OPTIONS') return proxyResult(event, 204, preflightHeaders(allowed), '')
  if (ofPath.length === 0) throw gatewayResponses.notFound
  throw gatewayResponses.methodNotAllowed(allowed)
}

/** An error that is no ApiError is that of a function. */
const errorResponse = (error: unknown, id: string): ProxyResult => {
  const isKnown = error instanceof ApiError
  if (!isKnown) console.error('A function has failed:', error)
  const { status, headers, body } = isKnown ? error : gatewayResponses.badGateway
  return {
    statusCode: status,
    headers: { ...commonHeaders(id, true), ...headers },
    body: JSON.stringify(body),
  }
}

const SCRIPT = '/docs.js'

/** What is at the paths of the reference. */
const documents: Record<string, Route['invoke']> = {
  // Without the escapes that API Gateway needs. The server is the one that got the request.
  [referencePaths.document]: async (event) =>
    proxyResult(event, 200, referenceHeaders, openApiText([absoluteUrl(event, '')])),
  // Its script comes from this server, so the page works offline.
  [referencePaths.page]: async (event) => {
    const { headers, body } = referencePage(service.basePath + SCRIPT, LOCAL_API_KEY)
    return proxyResult(event, 200, headers, body)
  },
  [SCRIPT]: async (event) => {
    const headers = { 'Content-Type': 'text/javascript; charset=utf-8' }
    return proxyResult(event, 200, headers, referenceScriptText())
  },
}

const reference = Object.entries(documents).flatMap(([path, invoke]) =>
  ['GET', 'HEAD'].map((method) => ({ method, path, invoke })),
)
