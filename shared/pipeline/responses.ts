import { entries } from '../contract.ts'
import type { Page } from '../data/list.ts'
import type { Decision } from '../data/reservations.ts'
import type { ApiError } from '../model/api-error.ts'
import { etagOf, type Revised } from '../model/etag.ts'
import { stringifyJson } from '../model/json.ts'
import { cursorAfter } from '../model/paging.ts'
import { type Entry, partsOf, successStatus } from './entry.ts'
import {
  absoluteUrl,
  basePath,
  type ProxyEvent,
  type ProxyResult,
  requestPath,
  respond,
} from './http.ts'

/** The decision of a function that returned `result`, which its entry describes. */
export const successOf = (entry: Entry, event: ProxyEvent, result: unknown): Decision => {
  const { method, pages, returns } = entry
  const status = successStatus(entry)
  if (pages) {
    const { items, next } = result as Page<unknown>
    return { status, body: bodyOf(pages, items), link: linkToNext(entry, event, next) }
  }
  if (!returns) return { status, body: '' }
  const { resource, revision } = result as Revised<{ id: number }>
  return {
    status,
    body: bodyOf(returns, resource),
    etag: etagOf(resource.id, revision),
    location: method === 'POST' ? newLocation(entry, event, resource.id) : undefined,
  }
}

const bodyOf = (schema: object, value: unknown) => stringifyJson(withFieldsOf(schema, value))

/** The decision of a function that threw a refusal. */
export const refusalOf = ({ status, body }: ApiError): Decision => ({
  status,
  body: stringifyJson(body),
})

/** The value with the fields of a schema only: a stored item has more, which must stay secret. */
const withFieldsOf = (schema: object, value: unknown): unknown => {
  if ('wrapped' in schema) return withFieldsOf(Object(schema.wrapped), value)
  if ('item' in schema && Array.isArray(value))
    return value.map((each) => withFieldsOf(Object(schema.item), each))
  if (!('entries' in schema) || typeof value !== 'object' || value === null) return value
  const fields: Record<string, unknown> = {}
  for (const [name, field] of Object.entries<object>(Object(schema.entries)))
    fields[name] = withFieldsOf(field, Object(value)[name])
  return fields
}

/** The path of a new resource below the base address; `undefined` if no operation has it. */
const newLocation = ({ path }: Entry, event: ProxyEvent, id: number): string | undefined =>
  hasPathOfOne(path) ? `${requestPath(event).slice(basePath(event).length)}/${id}` : undefined

/** Whether an operation has the path of one resource of a list. */
export const hasPathOfOne = (list: string): boolean =>
  Object.values(entries).some(
    ({ path }) => path.startsWith(`${list}/{`) && !path.slice(list.length + 1).includes('/'),
  )

/** The response to the request that was decided on. */
export const decisionResponse = (event: ProxyEvent, decision: Decision): ProxyResult => {
  const { status, body, etag, location, link } = decision
  const headers = {
    ...(location !== undefined && { Location: basePath(event) + location }),
    ...(etag !== undefined && { ETag: `"${etag}"` }),
    ...(link !== undefined && { Link: link }),
  }
  return respond(event, status, headers, body)
}

/** The response to a retry of the request that was decided on. */
export const replayResponse = (event: ProxyEvent, decision: Decision): ProxyResult => {
  const response = decisionResponse(event, decision)
  return { ...response, headers: { ...response.headers, 'Idempotent-Replayed': 'true' } }
}

/** The header `Link` (RFC 8288): the next page, with the other parameters as they were sent. */
const linkToNext = (
  entry: Entry,
  event: ProxyEvent,
  next: number | undefined,
): string | undefined => {
  if (next === undefined) return undefined
  const sent = event.multiValueQueryStringParameters ?? {}
  const known = partsOf(entry).query.flatMap(({ entries }) => Object.keys(entries))
  const parameters = new URLSearchParams()
  for (const name of known.filter((name) => name !== 'cursor'))
    for (const value of sent[name] ?? []) parameters.append(name, value)
  parameters.append('cursor', cursorAfter(next))
  return `<${absoluteUrl(event, `${requestPath(event)}?${parameters}`)}>; rel="next"`
}
