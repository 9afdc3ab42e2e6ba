import { entries } from '../contract.ts'
import type { Page } from '../data/list.ts'
import type { Decision } from '../data/reservations.ts'
import type { ApiError } from '../model/api-error.ts'
import { etagOf, type Revised } from '../model/etag.ts'
import { stringifyJson } from '../model/json.ts'
import { cursorAfter } from '../model/paging.ts'
import { type Entry, partsOf } from './entry.ts'
import { absoluteUrl, basePath, type Event, type Response, requestPath } from './http.ts'

/** What a function has decided on by what it returned. */
export const successOf = (entry: Entry, event: Event, result: unknown): Decision => {
  const { success, paged, etag } = entry
  const { status } = success
  if (!('body' in success)) return { status, body: '' }
  const bodyOf = (value: unknown) => stringifyJson(withFieldsOf(success.body, value))
  // The entry says what the function returns.
  if (paged) {
    const { items, next } = result as Page<unknown>
    return {
      status,
      body: bodyOf(items),
      link: next === undefined ? next : linkToNext(entry, event, next),
    }
  }
  if (status !== 201 && !etag) return { status, body: bodyOf(result) }
  const { resource, revision } = result as Revised<{ id: number }>
  const isAtPath = status === 201 && hasPathOfOne(entry.path)
  return {
    status,
    body: bodyOf(resource),
    etag: etag && etagOf(resource.id, revision),
    location: isAtPath ? newLocation(event, resource.id) : undefined,
  }
}

/** What a function has decided on by the error that it threw. */
export const refusalOf = ({ status, body }: ApiError): Decision => ({
  status,
  body: stringifyJson(body),
})

/** The fields that a schema has: stored items have more, and must not be returned whole. */
const withFieldsOf = (schema: object, value: unknown): unknown => {
  if ('item' in schema && Array.isArray(value))
    return value.map((each) => withFieldsOf(Object(schema.item), each))
  if (!('entries' in schema)) return value
  const fields: Record<string, unknown> = {}
  for (const name of Object.keys(Object(schema.entries))) fields[name] = Object(value)[name]
  return fields
}

/** The path of a new resource below the base address. */
const newLocation = (event: Event, id: number): string =>
  `${requestPath(event).slice(basePath(event).length)}/${id}`

/** Whether an operation has the path of one resource of a list. */
export const hasPathOfOne = (list: string): boolean =>
  Object.values(entries).some(
    ({ path }) => path.startsWith(`${list}/{`) && !path.slice(list.length + 1).includes('/'),
  )

/** The response for a decision. */
export const decisionResponse = (
  event: Event,
  { status, body, etag, location, link }: Decision,
): Response => ({
  status,
  headers: {
    ...(location !== undefined && { Location: basePath(event) + location }),
    ...(etag !== undefined && { ETag: `"${etag}"` }),
    ...(link !== undefined && { Link: link }),
  },
  body,
})

/** The response for a decision on an earlier request. */
export const replayResponse = (event: Event, decision: Decision): Response => {
  const { headers, ...response } = decisionResponse(event, decision)
  return { ...response, headers: { ...headers, 'Idempotent-Replayed': 'true' } }
}

/** The header `Link` (RFC 8288): the next page, with the other parameters as they were sent. */
const linkToNext = (entry: Entry, event: Event, next: number): string => {
  const sent = event.multiValueQueryStringParameters ?? {}
  const parameters = new URLSearchParams()
  const known = partsOf(entry).query.flatMap(({ entries }) => Object.keys(entries))
  for (const name of known)
    for (const value of sent[name] ?? []) if (name !== 'cursor') parameters.append(name, value)
  parameters.append('cursor', cursorAfter(next))
  return `<${absoluteUrl(event, `${requestPath(event)}?${parameters}`)}>; rel="next"`
}
