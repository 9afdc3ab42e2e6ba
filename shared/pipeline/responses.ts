import { contract } from '../contract.ts'
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
  if (!('body' in success)) return { status: success.status, body: '' }
  if (success.status !== 201 && !etag)
    return { status: success.status, body: stringifyJson(result) }
  const { resource, revision } = result as Revised<{ id: number }>
  return {
    status: success.status,
    body: stringifyJson(resource),
    tag: etag && tagOf(resource.id, revision),
    location:
      success.status === 201
        ? newLocation(resource.id, success.location ?? entry.path, event)
        : undefined,
  }
}

/** The path of a new resource below the base address, if an operation has such a path. */
const newLocation = (id: number, list: string, { pathParameters }: Event): string | undefined => {
  if (!hasPathOfOne(list)) return undefined
  // Path parameters arrive decoded.
  const parent = list.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(pathParameters?.[name] ?? ''),
  )
  return `${parent}/${id}`
}

/** Whether an operation has the path of one resource of a list. */
export const hasPathOfOne = (list: string): boolean =>
  Object.values(contract).some(
    ({ path }) => path.startsWith(`${list}/{`) && !path.slice(list.length + 1).includes('/'),
  )

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
  for (const name of Object.keys(partsOf(entry).query?.entries ?? {}))
    if (name !== 'cursor') for (const value of sent[name] ?? []) parameters.append(name, value)
  parameters.append('cursor', cursorAfter(next))
  return `<${absoluteUrl(event, `${requestPath(event)}?${parameters}`)}>; rel="next"`
}
