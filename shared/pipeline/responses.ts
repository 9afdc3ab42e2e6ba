import { entries } from '../contract.ts'
import type { Page } from '../data/page.ts'
import type { Success } from '../data/reservations.ts'
import { type Revised, tagOf } from '../model/etag.ts'
import { stringifyJson } from '../model/json.ts'
import { cursorAfter } from '../model/paging.ts'
import { type Entry, partsOf } from './entry.ts'
import { absoluteUrl, basePath, type Event, type Response, requestPath } from './http.ts'

/** The success of an operation without pages, from what its function returned. */
export const successOf = (entry: Entry, event: Event, result: unknown): Success => {
  const { success, etag } = entry
  const { status } = success
  if (!('body' in success)) return { status, body: '' }
  if (status !== 201 && !etag) return { status, body: stringifyJson(result) }
  const { resource, revision } = result as Revised<{ id: number }> // As the entry says.
  return {
    status,
    body: stringifyJson(resource),
    tag: etag && tagOf(resource.id, revision),
    location:
      status === 201 && hasPathOfOne(entry.path) ? newLocation(event, resource.id) : undefined,
  }
}

/** The path of a new resource below the base address. */
const newLocation = (event: Event, id: number): string =>
  `${requestPath(event).slice(basePath(event).length)}/${id}`

/** Whether an operation has the path of one resource of a list. */
export const hasPathOfOne = (list: string): boolean =>
  Object.values(entries).some(
    ({ path }) => path.startsWith(`${list}/{`) && !path.slice(list.length + 1).includes('/'),
  )

/** The response for a success. */
export const successResponse = (
  event: Event,
  { status, body, tag, location }: Success,
): Response => ({
  status,
  headers: {
    ...(location !== undefined && { Location: basePath(event) + location }),
    ...(tag !== undefined && { ETag: `"${tag}"` }),
  },
  body,
})

/** The response to an earlier request, once more. */
export const replayResponse = (event: Event, success: Success): Response => {
  const { headers, ...response } = successResponse(event, success)
  return { ...response, headers: { ...headers, 'Idempotent-Replayed': 'true' } }
}

/** The response with a page of a list, and a link to the next one. */
export const pageResponse = (
  entry: Entry,
  event: Event,
  { items, next }: Page<unknown>,
): Response => ({
  status: 200,
  headers: next === undefined ? {} : { Link: linkToNext(entry, event, next) },
  body: stringifyJson(items),
})

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
