import { readFileSync } from 'node:fs'
import { EXPOSED_HEADERS, type ProxyEvent } from '../../shared/pipeline/gateway-event.ts'

type Changes = {
  headers?: Values
  query?: Values
  /** The value of the first path parameter. */
  id?: string
  body?: string | null
  isBase64Encoded?: boolean
  requestContext?: Partial<ProxyEvent['requestContext']>
}

/** Values by name: a list for a name that is sent several times, `undefined` to remove a name. */
type Values = Record<string, string | string[] | undefined>

/**
 * Returns the event of `test/events/<name>.json` with `changes`, as API Gateway would send it. Each
 * call returns a new object, because a function may change its event.
 */
export const eventOf = (
  name: string,
  { headers, query, id, requestContext, ...body }: Changes = {},
): ProxyEvent => {
  const file = new URL(`../events/${name}.json`, import.meta.url)
  const event: ProxyEvent = JSON.parse(readFileSync(file, 'utf8'))
  const multiValueHeaders = merge(event.multiValueHeaders, headers)
  const multiValueQueryStringParameters = merge(event.multiValueQueryStringParameters, query)
  const [parameter = '', value] = Object.entries(event.pathParameters ?? {})[0] ?? []
  const pathOf = (path: string) =>
    id === undefined ? path : path.replace(`/${value}`, `/${encodeURIComponent(id)}`)
  return {
    ...event,
    ...body,
    path: pathOf(event.path),
    pathParameters:
      id === undefined ? event.pathParameters : { ...event.pathParameters, [parameter]: id },
    headers: lastOfEach(multiValueHeaders) ?? {},
    multiValueHeaders,
    queryStringParameters: lastOfEach(multiValueQueryStringParameters),
    multiValueQueryStringParameters: orNull(multiValueQueryStringParameters),
    requestContext: {
      ...event.requestContext,
      path: pathOf(event.requestContext.path),
      ...requestContext,
    },
  }
}

const merge = (
  lists: Record<string, string[] | undefined> | null,
  changes: Values = {},
): Record<string, string[]> => {
  const merged = Object.entries({ ...lists, ...changes })
  return Object.fromEntries(
    merged.flatMap(([name, value]) => (value === undefined ? [] : [[name, [value].flat()]])),
  )
}

/** API Gateway keeps the last of repeated values in its maps of single values. */
const lastOfEach = (lists: Record<string, string[]>): Record<string, string> | null =>
  orNull(
    Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.at(-1) ?? ''])),
  )

/** API Gateway sends `null` for an empty map. */
const orNull = <Value>(map: Record<string, Value>) => (Object.keys(map).length > 0 ? map : null)

type Expected = { status: number; headers?: Record<string, string>; body?: unknown }

/**
 * The whole response that a test expects to `event`: the headers that every response has, and
 * `expected`.
 */
export const responseTo = (event: ProxyEvent, { status, headers = {}, body }: Expected) => ({
  status,
  headers: {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': EXPOSED_HEADERS,
    'Cache-Control': 'no-store',
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    'Strict-Transport-Security': 'max-age=31536000',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': event.requestContext.extendedRequestId,
    ...headers,
  },
  body,
})

/** An error response. */
export const errorResponse = (
  status: number,
  code: string,
  message: string,
  headers = {},
): Expected => ({
  status,
  headers,
  body: { code, message, status },
})

export const unavailable = errorResponse(
  503,
  'service_unavailable',
  'The service is busy or partly down. Try again in a moment.',
  { 'Retry-After': '1' },
)
