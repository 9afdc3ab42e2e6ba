import { entries, type OperationId, operationIds } from '../../shared/contract.ts'
import { ApiError } from '../../shared/model/api-error.ts'
import { absoluteUrl, commonHeaders, requestId } from '../../shared/pipeline/gateway-event.ts'
import { service } from '../../shared/service.ts'
import { openApiText } from '../openapi/document.ts'
import { referencePage, referenceScriptText } from '../openapi/reference.ts'
import {
  createGateway,
  type ErrorResponse,
  type Gateway,
  type GatewayResponse,
  type ProxyEvent,
  type Route,
} from '../packages/local-gateway/index.ts'
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

/**
 * Creates the HTTP server of the local API: its operations and its reference. After `timeoutMs`, a
 * function has not responded: 504.
 */
export const createLocalApi = (
  handlers: Record<OperationId, Handler>,
  timeoutMs = functionSettings.timeoutSeconds * 1000,
): Gateway => {
  // Hundreds of functions at once would delay each other until their database calls time out.
  const queue = atMost(16)
  const operations = operationIds.map((id): Route => {
    const run: Route['invoke'] = (event) => invoke(id, handlers[id], event, timeoutMs)
    return { ...entries[id], invoke: (event) => queue(() => run(event)) }
  })
  return createGateway({
    basePath: service.basePath,
    routes: [...operations, ...reference],
    errors: { ...gatewayResponses, invocation },
    commonHeaders,
    preflightHeaders,
  })
}

/** An error that is not the gateway's own is that of a function. */
const invocation = (error: unknown): ErrorResponse => {
  if (error instanceof ApiError) return error
  console.error('A function has failed:', error)
  return gatewayResponses.badGateway
}

/** The routes of a document. It gets the common headers, too. */
const documentRoutes = (
  path: string,
  read: (event: ProxyEvent) => Omit<GatewayResponse, 'statusCode'>,
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
