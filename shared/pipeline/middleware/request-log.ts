import { type Middleware, requestId } from '../http.ts'

let coldStart = true

/**
 * Logs one line for each request: what was called, by whom, and the result. Never logs a key, a
 * header or a body, nor the path as it was sent, which may contain a key. The line is an object, so
 * that Lambda's JSON log format keeps its fields.
 */
export const requestLog = (operation: string): Middleware => {
  const log: Middleware['after'] = ({ event, context, response, internal }) => {
    console.info({
      requestId: requestId(event),
      operation,
      method: event.httpMethod,
      path: event.resource,
      version: context.functionVersion,
      status: response?.statusCode,
      code: internal.errorCode,
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
