import { absoluteUrl, type Event, requestPath } from './http.ts'
import { cursorAfter } from './model/cursor.ts'
import type { Tagged } from './model/etag.ts'

/** The response with one resource. */
export const one = <Resource>({ resource, etag }: Tagged<Resource>) => ({ body: resource, headers: { ETag: etag } })

/** The response to a request that created a resource, or to a retry of it. */
export const created = <Resource extends { id: number }>(
  event: Event,
  { resource, etag, isReplay }: Tagged<Resource> & { isReplay: boolean },
) => ({
  body: resource,
  headers: {
    Location: `${requestPath(event)}/${resource.id}`,
    ETag: etag,
    ...(isReplay && { 'Idempotent-Replayed': 'true' }),
  },
})

/**
 * The response with a page of a list. If there is another page, the `Link` header (RFC 8288) has its address, with the
 * parsed parameters of this page. Those that are lists are repeated.
 */
export const page = <Resource>(
  event: Event,
  query: object,
  { items, next }: { items: Resource[]; next?: number | undefined },
) => {
  if (next === undefined) return { body: items }
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...query, cursor: cursorAfter(next) }))
    for (const each of [value].flat()) if (each !== undefined) parameters.append(name, `${each}`)
  const address = absoluteUrl(event, `${requestPath(event)}?${parameters}`)
  return { body: items, headers: { Link: `<${address}>; rel="next"` } }
}
