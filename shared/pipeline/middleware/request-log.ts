import { type Middleware, requestId } from '../gateway-event.ts'

let coldStart = true

/**
 * Logs one object for each request, whose fields Lambda's JSON format keeps. Never logs a key, a
 * header, a body, or the path as it was sent, which may contain a key.
 */
export const requestLog = (operation: string): Middleware => {
  const log: Middleware['after'] = ({ event, context, response, internal }) => {
    const isError = response && response.statusCode >= 400
    console.info({
      requestId: requestId(event),
      operation,
      method: event.httpMethod,
      path: event.resource,
      version: context.functionVersion,
      status: response?.statusCode,
      code: isError ? JSON.parse(response.body).code : undefined,
      replayed: response?.headers['Idempotent-Replayed'],
      milliseconds: Math.round(performance.now() - (internal.startedAt ?? 0)),
      keyId: event.requestContext.authorizer?.keyId,
      clientId: event.requestContext.authorizer?.clientId,
      coldStart,
    })
    coldStart = false
  }
  return {
    before: ({ internal }) => {
      internal.startedAt = performance.now()
    },
    after: log,
    onError: log,
  }
}
