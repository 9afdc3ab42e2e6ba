import { soonEnd } from '../../model/expiry.ts'
import { type Middleware, type ProxyEvent, type ProxyResult, requestId } from '../gateway-event.ts'

let coldStart = true

/**
 * Logs one object for each request, whose fields Lambda's JSON format keeps. `ids` are those of the
 * path, and that of a new resource. `keyEnds` is there if the API key ends within two weeks. Never
 * logs a key, a header, a body, or the path as it was sent, which may contain a key.
 */
export const requestLog = (operation: string): Middleware => {
  const log: Middleware['after'] = ({ event, context, response, internal }) => {
    const caller = event.requestContext.authorizer
    const { code, id } = errorOrCreated(response)
    console.info({
      requestId: requestId(event),
      operation,
      method: event.httpMethod,
      path: event.resource,
      version: context.functionVersion,
      status: response?.statusCode,
      code,
      ids: [...pathIds(event), ...(id ? [`${id}`] : [])].join(' ') || undefined,
      replayed: response?.headers['Idempotent-Replayed'],
      milliseconds: Math.round(performance.now() - (internal.startedAt ?? 0)),
      keyId: caller?.keyId,
      clientId: caller?.clientId,
      keyEnds: soonEnd(caller?.expiresAt),
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

/** The path parameters that are int64s: no key can be among them. */
const pathIds = ({ pathParameters }: ProxyEvent): string[] =>
  Object.values(pathParameters ?? {}).flatMap((value) =>
    value !== undefined && /^-?\d{1,19}$/.test(value) ? [value] : [],
  )

/** The code of an error, or the id of a new resource. */
const errorOrCreated = (
  response: ProxyResult | null | undefined,
): { code?: string; id?: number } => {
  if (!response) return {}
  const { statusCode, body } = response
  return statusCode === 201 || statusCode >= 400 ? JSON.parse(body) : {}
}
