import { errorCode } from '../../model/api-error.ts'
import { soonEnd } from '../../model/expiry.ts'
import { type Middleware, type ProxyEvent, requestId } from '../gateway-event.ts'

let coldStart = true

/**
 * Logs one object for each request, whose fields Lambda's JSON format keeps. `ids` are those of the
 * path and of `Location`. `keyEnds` is there if the API key ends within two weeks. Never logs a
 * key, a header, a body, or the path as it was sent, which may contain a key.
 */
export const requestLog = (operation: string): Middleware => {
  const log: Middleware['after'] = ({ event, context, response, internal }) => {
    const holder = event.requestContext.authorizer
    const { statusCode: status = 500, headers = {} } = response ?? {}
    console.info({
      requestId: requestId(event),
      operation,
      method: event.httpMethod,
      path: event.resource,
      version: context.functionVersion,
      status,
      code: status < 400 ? undefined : errorCode(status),
      ids: idsIn(event, headers.Location),
      replayed: headers['Idempotent-Replayed'],
      milliseconds: Math.round(performance.now() - (internal.startedAt ?? 0)),
      keyId: holder?.keyId,
      clientId: holder?.clientId,
      keyEnds: soonEnd(holder?.expiresAt),
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

/** The int64s in the path, no key, and the id of a new resource. */
const idsIn = ({ pathParameters }: ProxyEvent, location = ''): string | undefined => {
  const texts = [...Object.values(pathParameters ?? {}), location.split('/').at(-1)]
  return texts.filter((text = '') => /^-?\d{1,19}$/.test(text)).join(' ') || undefined
}
