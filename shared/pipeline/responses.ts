import * as v from 'valibot'
import { entries } from '../contract.ts'
import type { Page } from '../data/list.ts'
import { etagOf, type WithRevision } from '../model/etag.ts'
import { stringifyJson } from '../model/json.ts'
import { cursorAfter } from '../model/paging.ts'
import { returnsResource, successStatus } from './by-method.ts'
import type { AnyEntry } from './entry.ts'
import {
  absoluteUrl,
  basePath,
  type ProxyEvent,
  type ProxyResult,
  pathBelowBase,
  proxyResult,
} from './gateway-event.ts'
import type { OperationResponse } from './respond-once.ts'

/** The response of an operation whose function returned `result`. */
export const successResponse = (
  entry: AnyEntry,
  event: ProxyEvent,
  result: unknown,
): OperationResponse => {
  const status = successStatus(entry)
  const { pages, returns } = entry
  if (pages) {
    const { items, next } = result as Page<unknown>
    return { status, body: bodyText(pages, items), link: linkToNext(event, next) }
  }
  const body = returns ? bodyText(returns, result) : ''
  if (!returnsResource(entry)) return { status, body }
  const { id, revision } = result as WithRevision<{ id: number }>
  const location = hasLocation(entry) ? `${pathBelowBase(event)}/${id}` : undefined
  return { status, body, etag: etagOf(id, revision), location }
}

/**
 * Without fields that the schema does not have, which must stay secret. Broken rules do not matter:
 * an earlier release may have stored what this one would refuse.
 */
const bodyText = (schema: v.GenericSchema, value: unknown): string =>
  stringifyJson(v.safeParse(schema, value).output)

/** Whether a response has a `Location`: it is new, and an operation has the path of one. */
export const hasLocation = (entry: AnyEntry): boolean =>
  successStatus(entry) === 201 &&
  Object.values(entries).some(({ path }) => /^(.+)\/{\w+}$/.exec(path)?.[1] === entry.path)

/** The result of a function for a response. */
export const gatewayResult = (event: ProxyEvent, response: OperationResponse): ProxyResult => {
  const { status, body, etag, location, link, isReplay } = response
  const headers = {
    ...(location !== undefined && { Location: basePath(event) + location }),
    ...(etag !== undefined && { ETag: `"${etag}"` }),
    ...(link !== undefined && { Link: link }),
    ...(isReplay && { 'Idempotent-Replayed': 'true' }),
  }
  return proxyResult(event, status, headers, body)
}

/** The header `Link` (RFC 8288): the next page, with the other parameters as they were sent. */
const linkToNext = (event: ProxyEvent, next: number | undefined): string | undefined => {
  if (next === undefined) return undefined
  const parameters = { ...event.queryStringParameters, cursor: cursorAfter(next) }
  const query = new URLSearchParams()
  for (const [name, value = ''] of Object.entries(parameters))
    if (name !== '') query.append(name, value) // An empty name is no parameter.
  return `<${absoluteUrl(event, `${pathBelowBase(event)}?${query}`)}>; rel="next"`
}
