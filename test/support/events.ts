import { readFileSync } from 'node:fs'
import type { Event } from '../../shared/http.ts'

type Changes = {
  headers?: Values
  query?: Values
  petId?: string
  body?: string | null
  isBase64Encoded?: boolean
  requestContext?: Partial<Event['requestContext']>
}

/** Values by name: a list for a name that is sent several times, `undefined` to remove a name. */
type Values = Record<string, string | string[] | undefined>

/**
 * Returns the event of `test/events/<name>.json` with `changes`, as API Gateway would send it. Each call returns a new
 * object, because a function may change its event.
 */
export const eventOf = (name: string, { headers, query, petId, requestContext, ...body }: Changes = {}): Event => {
  const event: Event = JSON.parse(readFileSync(new URL(`../events/${name}.json`, import.meta.url), 'utf8'))
  const multiValueHeaders = merge(event.multiValueHeaders, headers)
  const multiValueQueryStringParameters = merge(event.multiValueQueryStringParameters, query)
  const pathOf = (path: string) => (petId === undefined ? path : path.replace(/[^/]*$/, encodeURIComponent(petId)))
  return {
    ...event,
    ...body,
    path: pathOf(event.path),
    pathParameters: petId === undefined ? event.pathParameters : { petId },
    headers: lastOfEach(multiValueHeaders) ?? {},
    multiValueHeaders,
    queryStringParameters: lastOfEach(multiValueQueryStringParameters),
    multiValueQueryStringParameters: orNull(multiValueQueryStringParameters),
    requestContext: { ...event.requestContext, path: pathOf(event.requestContext.path), ...requestContext },
  }
}

const merge = (lists: Record<string, string[] | undefined> | null, changes: Values = {}): Record<string, string[]> => {
  const merged = Object.entries({ ...lists, ...changes })
  return Object.fromEntries(merged.flatMap(([name, value]) => (value === undefined ? [] : [[name, [value].flat()]])))
}

/** API Gateway keeps the last of repeated values in its maps of single values. */
const lastOfEach = (lists: Record<string, string[]>): Record<string, string> | null =>
  orNull(Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.at(-1) ?? ''])))

/** API Gateway sends `null` for an empty map. */
const orNull = <Value>(map: Record<string, Value>) => (Object.keys(map).length > 0 ? map : null)
