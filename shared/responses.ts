import type { Page } from './data/page.ts'
import type { Success } from './data/reservations.ts'
import type { Entry } from './entry.ts'
import { absoluteUrl, basePath, type Event, type Response, requestPath } from './http.ts'
import { type Revised, tagOf } from './model/etag.ts'
import { stringifyJson } from './model/json.ts'
import { cursorAfter } from './model/paging.ts'

/** The success of an operation that has no pages, from what its function returned, which has the type that the entry says. */
export const successOf = (entry: Entry, event: Event, result: unknown): Success => {
  const { status } = entry.success
  if (!('body' in entry.success)) return { status, body: '' }
  if (status !== 201 && !entry.etag) return { status, body: stringifyJson(result) }
  const { resource, revision } = result as Revised<{ id: number }>
  return {
    status,
    body: stringifyJson(resource),
    tag: entry.etag && tagOf(resource.id, revision),
    location: status === 201 ? `${listPath(entry.success, event)}/${resource.id}` : undefined,
  }
}

/** The response for a success. */
export const successResponse = (
  event: Event,
  { status, body, tag, location, isReplay }: Success & { isReplay: boolean },
): Response => ({
  status,
  headers: {
    ...(location !== undefined && { Location: basePath(event) + location }),
    ...(tag !== undefined && { ETag: `"${tag}"` }),
    ...(isReplay && { 'Idempotent-Replayed': 'true' }),
  },
  body,
})

/** The response with a page, and a link to the next one. `query` has the parsed parameters. */
export const pageResponse = (event: Event, { items, next }: Page<unknown>, query: object): Response => ({
  status: 200,
  headers: next === undefined ? {} : { Link: linkToNext(event, query, next) },
  body: stringifyJson(items),
})

/** The path of the list that a new resource is in, below the base address. */
const listPath = ({ location }: { location?: string }, event: Event): string =>
  location ?? requestPath(event).slice(basePath(event).length)

/**
 * The value of the header `Link` (RFC 8288) with the address of the next page: with the parsed parameters of this one. Those
 * that are lists are repeated.
 */
const linkToNext = (event: Event, query: object, next: number): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...query, cursor: cursorAfter(next) }))
    for (const each of [value].flat()) if (each !== undefined) parameters.append(name, `${each}`)
  return `<${absoluteUrl(event, `${requestPath(event)}?${parameters}`)}>; rel="next"`
}
