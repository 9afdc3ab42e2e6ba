import { entries, type OperationId, operationIds } from '../../shared/contract.ts'
import { ApiError } from '../../shared/model/api-error.ts'
import { commonHeaders } from '../../shared/pipeline/gateway-event.ts'
import { service } from '../../shared/service.ts'
import { openApiText } from '../openapi/document.ts'
import { referencePage, referenceScriptText } from '../openapi/reference.ts'
import {
  createGateway,
  type ErrorResponse,
  type Gateway,
  type GatewayOptions,
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
import { type Handler, invoke as invokeFunction } from './lambda.ts'
import { atMost } from './queue.ts'

const localLimits = {
  /**
   * Functions that run at once; other requests wait. Hundreds at once would delay each other until
   * their database calls time out.
   */
  functions: 16,
  /** Time for a function to respond: else 504. */
  functionMs: functionSettings.timeoutSeconds * 1000,
}

type Limits = Partial<typeof localLimits> & GatewayOptions['limits']

/** Creates the HTTP server of the local API: its operations and its reference. */
export const createLocalApi = (
  handlers: Record<OperationId, Handler>,
  otherLimits: Limits = {},
): Gateway => {
  const { functions, functionMs, ...limits } = { ...localLimits, ...otherLimits }
  const queue = atMost(functions)
  const routes = operationIds.map((id): Route => {
    const { method, path } = entries[id]
    const invoke: Route['invoke'] = (event) =>
      queue(() => invokeFunction(id, handlers[id], event, functionMs))
    return { method, path, invoke }
  })
  return createGateway({
    basePath: service.basePath,
    routes,
    documents,
    errors: { ...gatewayResponses, invocation },
    commonHeaders,
    preflightHeaders,
    limits,
  })
}

const invocation = (error: unknown): ErrorResponse => {
  if (error instanceof ApiError) return error
  console.error('A request failed:', error)
  return gatewayResponses.badGateway
}

const SCRIPT = '/docs.js'
let scriptBytes: Buffer | undefined

const documents: GatewayOptions['documents'] = {
  // Without the escapes that API Gateway needs. The server is the one that got the request.
  [referencePaths.document]: (origin) => ({
    headers: referenceHeaders,
    body: openApiText([origin + service.basePath]),
  }),
  // Its script comes from this server, so the page works offline.
  [referencePaths.page]: () => referencePage(service.basePath + SCRIPT, LOCAL_API_KEY),
  [SCRIPT]: () => {
    // In bytes: Node.js would copy the text, of 4 MB, for each client that has not read it yet.
    scriptBytes ??= Buffer.from(referenceScriptText())
    return { headers: { 'Content-Type': 'text/javascript; charset=utf-8' }, body: scriptBytes }
  },
}
