import { entries, type OperationId, operationIds } from '../../shared/contract.ts'
import { ApiError } from '../../shared/model/api-error.ts'
import {
  absoluteUrl,
  commonHeaders,
  type ProxyEvent,
  type ProxyResult,
  requestId,
} from '../../shared/pipeline/gateway-event.ts'
import { service } from '../../shared/service.ts'
import { openApiText } from '../openapi/document.ts'
import { referencePage, referenceScriptText } from '../openapi/reference.ts'
import { createGateway } from '../packages/local-gateway/index.ts'
import { functionSettings } from '../platform/functions.ts'
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

/**
 * Creates the HTTP server of the local API: its operations and its reference. After `timeoutMs`, a
 * function has not responded: 504.
 */
export const createLocalApi = (
  handlers: Record<OperationId, Handler>,
  timeoutMs = functionSettings.timeoutSeconds * 1000,
) => {
  // Hundreds of functions at once would delay each other until their database calls time out.
  const queue = atMost(16)
  const operations = operationIds.map((id): Route => {
    const run: Route['invoke'] = (event) => invoke(id, handlers[id], event, timeoutMs)
    return { ...entries[id], invoke: (event) => queue(() => run(event)) }
  })
  return serveRoutes([...operations, ...reference])
}

/** Creates an HTTP server that has routes below the base path of the service. */
export const serveRoutes = (routes: Route[]) =>
  createGateway({
    basePath: service.basePath,
    paths: routes.map(({ path }) => path),
    invoke: (event) =>
      respond(
        event,
        routes.filter(({ path }) => path === event.resource),
      ),
    errors: gatewayResponses,
    errorResponse,
  })

/** Responds with the route of the method, if the resource has one. */
const respond = async (event: ProxyEvent, routes: Route[]): Promise<ProxyResult> => {
  const route = routes.find(({ method }) => method === event.httpMethod)
  if (route) return route.invoke(event)
  const allowed = [...routes.map(({ method }) => method), 'OPTIONS']
  // It asks for permission, not for the resource, which need not exist.
  if (event.httpMethod === 'OPTIONS') {
    const headers = { ...commonHeaders(requestId(event), false), ...preflightHeaders(allowed) }
    return { statusCode: 204, headers, body: '' }
  }
  if (routes.length === 0) throw gatewayResponses.notFound
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

/** The routes of a document. It gets the common headers, too. */
const documentRoutes = (
  path: string,
  read: (event: ProxyEvent) => { headers: Record<string, string>; body: string },
): Route[] => {
  const invoke: Route['invoke'] = async (event) => {
    const { headers, body } = read(event)
    const common = commonHeaders(requestId(event), true)
    return { statusCode: 200, headers: { ...common, ...headers }, body }
  }
  return ['GET', 'HEAD'].map((method) => ({ method, path, invoke }))
}

const SCRIPT = '/docs.js'

const reference = [
  // Without the escapes that API Gateway needs. The server is the one that got the request.
  ...documentRoutes(referencePaths.document, (event) => ({
    headers: referenceHeaders,
    body: openApiText([absoluteUrl(event, '')]),
  })),
  // Its script comes from this server, so the page works offline.
  ...documentRoutes(referencePaths.page, () =>
    referencePage(service.basePath + SCRIPT, LOCAL_API_KEY),
  ),
  ...documentRoutes(SCRIPT, () => ({
    headers: { 'Content-Type': 'text/javascript; charset=utf-8' },
    body: referenceScriptText(),
  })),
]
