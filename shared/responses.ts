import type { Entry } from './entry.ts'
import { absoluteUrl, basePath, type Event, type Response, requestPath } from './http.ts'
import { tagOf } from './model/etag.ts'
import { cursorAfter } from './model/paging.ts'

/** What a function may return, of which the entry of its operation says which parts there are (`Run` in entry.ts). */
type Returned = {
  resource: { id: number }
  revision: string
  isReplay?: boolean
  items: unknown[]
  next: number | undefined
}

/** The success response of an operation, from what its function returned. `query` has the parsed parameters. */
export const successOf = (entry: Entry, event: Event, query: object, result: unknown): Response => {
  const { status } = entry.success
  if (!entry.paged && !entry.etag && status !== 201) return { status, body: result }
  const { resource, revision, isReplay, items, next } = result as Returned // As the type of the function says.
  if (entry.paged) return { status, body: items, headers: next === undefined ? {} : linkToNext(event, query, next) }
  const list = entry.success.status === 201 && entry.success.location
  const headers = {
    ...(status === 201 && { Location: `${list ? basePath(event) + list : requestPath(event)}/${resource.id}` }),
    ...(entry.etag && { ETag: `"${tagOf(resource.id, revision)}"` }),
    ...(isReplay && { 'Idempotent-Replayed': 'true' }),
  }
  return { status, body: resource, headers }
}

/**
 * The `Link` header (RFC 8288) with the address of the next page: with the parsed parameters of this one. Those that are
 * lists are repeated.
 */
const linkToNext = (event: Event, query: object, next: number): { Link: string } => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...query, cursor: cursorAfter(next) }))
    for (const each of [value].flat()) if (each !== undefined) parameters.append(name, `${each}`)
  return { Link: `<${absoluteUrl(event, `${requestPath(event)}?${parameters}`)}>; rel="next"` }
}
