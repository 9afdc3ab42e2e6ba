import * as v from 'valibot'
import type { Page } from '../data/list.ts'
import type { Access } from '../data/tables.ts'
import type { Transaction } from '../data/transaction.ts'
import type { ApiError, MediaTypes } from '../model/api-error.ts'
import { IfMatch, type Revised } from '../model/etag.ts'
import { IdempotencyKey } from '../model/idempotency-key.ts'
import { Cursor, Limit } from '../model/paging.ts'
import type { Scope } from '../service.ts'

/**
 * What the contract says of an operation. Its pipeline, deployment, local route and documentation
 * follow from it.
 */
export type Declaration = List | Read | Create | Change | Remove

/** A page of a list: with the parameters `limit` and `cursor`, and a `Link` to the next page. */
interface List extends Common {
  method: 'GET'
  params?: ObjectSchema
  /** The filters: each is a field of the collection that `access` lists. */
  query?: ObjectSchema
  pages: Body<unknown[]>
}

/** One resource, with its `ETag`. */
interface Read extends Common {
  method: 'GET'
  params: ObjectSchema
  returns: Resource
}

/**
 * A new resource: a 201 with its `ETag`, and with its `Location` if an operation has the path of
 * one resource.
 */
interface Create extends Common {
  method: 'POST'
  params?: ObjectSchema
  body: ObjectSchema
  returns: Resource
}

/** A change of one resource if it still has a revision in `If-Match`; otherwise, a 412. */
interface Change extends Common {
  method: 'PATCH'
  params: ObjectSchema
  body: ObjectSchema
  returns: Resource
}

/** The end of one resource, on the condition of a change: a 204 without a body. */
interface Remove extends Common {
  method: 'DELETE'
  params: ObjectSchema
}

/** What any operation says besides. */
interface Common {
  /** Relative to the base address, such as `/pets/{petId}`, where `{petId}` is one of `params`. */
  path: `/${string}`
  /** A short title. */
  summary: string
  /** What a caller must know beyond the title, in Markdown. */
  description: string
  /** The group of operations that the API reference lists it in. */
  tag: string
  /** The scope that an API key needs to call the operation; without it, the response is a 403. */
  scope: Scope
  /** Marks the operation in the API reference: it may change or be removed without notice. */
  stability?: 'experimental' | 'beta'
  /** Announces the removal of the operation in the API reference and in each response. */
  deprecated?: Deprecated
  /** An example of each error of its own, besides those of every operation. */
  errors?: readonly ApiError[]
  /**
   * The permissions of its function: what it may do with the items of each table. The pipeline has
   * those that it needs itself, to read API keys and to store responses.
   */
  access: Access
}

/** The schema of a response body. Fields that it does not have are not sent. */
type Body<Value> = v.GenericSchema<unknown, Value>
type Resource = Body<{ id: number }>

/** A `v.object()`, maybe with checks. The pipe of each field says what it means. */
export type ObjectSchema = v.GenericSchema<unknown, Record<string, unknown>> & {
  entries: v.ObjectEntries
}

/** When an operation was deprecated, when it will be removed, and the path of its replacement. */
export type Deprecated = { since: Date; sunset: Date; successor: `/${string}` }

/** What the function of an entry gets: the request, parsed and frozen, and its transaction. */
export type Input<E> = {
  /** Everything that it reads and writes goes through the transaction. */
  tx: Transaction
  /** Whose API key it is: the same after the key was rotated. */
  client: { id: string }
  params: Parsed<E, 'params'>
  /** Which page of a list. */
  page: E extends { pages: unknown }
    ? PageParameters & { filter: E extends { query: unknown } ? Parsed<E, 'query'> : object }
    : undefined
  body: Parsed<E, 'body'>
  /** The revisions that the client expects; `undefined` for any. */
  ifMatch: E extends { method: 'PATCH' | 'DELETE' } ? IfMatch | undefined : undefined
}

type Parsed<E, Part extends 'params' | 'query' | 'body'> =
  E extends Record<Part, infer Schema extends v.GenericSchema> ? v.InferOutput<Schema> : undefined

/** What the function of an entry returns: a page, a resource with its revision, or nothing. */
export type Result<E> = E extends { pages: Body<(infer Item)[]> }
  ? Promise<Page<Item>>
  : E extends { returns: Body<infer Resource> }
    ? Promise<Revised<Resource>>
    : Promise<void>

/** An operation, for what works with any of them. */
export interface Entry extends Common {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  params?: ObjectSchema
  query?: ObjectSchema
  body?: ObjectSchema
  pages?: Body<unknown[]>
  returns?: Resource
}

/** The status of a success. */
export const successStatus = ({ method }: Entry): number =>
  ({ GET: 200, POST: 201, PATCH: 200, DELETE: 204 })[method]

/** Whether an operation takes an `Idempotency-Key`: each one that may change something does. */
export const takesIdempotencyKey = ({ method }: Entry): boolean => method !== 'GET'

/** Whether an operation takes an `If-Match`: each one that changes or deletes a resource does. */
export const takesIfMatch = ({ method }: Entry): boolean => ['PATCH', 'DELETE'].includes(method)

/** The media types of a body. That of a PATCH is a JSON merge patch (RFC 7396) by either name. */
export const mediaTypes = ({ method }: Pick<Entry, 'method'>): MediaTypes => {
  const isPatch = method === 'PATCH'
  const allowed = ['application/json', ...(isPatch ? ['application/merge-patch+json'] : [])]
  return { allowed, isPatch }
}

/** A path parameter in the path of an entry. */
export const PATH_PARAMETER = /\{(\w+)\}/g

/** The schemas of each part of a request: those of the entry, and those that follow from it. */
export const partsOf = (entry: Entry): Record<RequestPart, ObjectSchema[]> => ({
  params: withoutAbsent(entry.params),
  // In this order, the reference has `limit` first and `cursor` last.
  query: withoutAbsent(entry.pages && PageSize, entry.query, entry.pages && PageStart),
  headers: withoutAbsent(
    takesIdempotencyKey(entry) && KeyHeader,
    takesIfMatch(entry) && ConditionHeader,
  ),
  body: withoutAbsent(entry.body),
})

export type RequestPart = 'params' | 'query' | 'headers' | 'body'

const withoutAbsent = (...schemas: (ObjectSchema | false | undefined)[]): ObjectSchema[] =>
  schemas.filter((schema) => schema !== undefined && schema !== false)

/** The request headers that an operation reads, besides `Authorization` and those of the body. */
export const requestHeaders = (entry: Entry): string[] =>
  partsOf(entry).headers.flatMap(({ entries }) => Object.keys(entries))

/** The query parameters of an operation. */
export const queryParameters = (entry: Entry): string[] =>
  partsOf(entry).query.flatMap(({ entries }) => Object.keys(entries))

/** The headers that a success of an operation may have, besides those of every response. */
export const successHeaders = (entry: Entry): string[] => [
  ...(entry.method === 'POST' ? ['Location'] : []),
  ...(takesIdempotencyKey(entry) ? ['Idempotent-Replayed'] : []),
  ...(entry.pages ? ['Link'] : []),
  ...(entry.returns ? ['ETag'] : []),
]

/** The headers with which each response of an operation announces its removal. */
export const noticeHeaders = ({ deprecated }: Entry): string[] =>
  deprecated ? ['Deprecation', 'Sunset', 'Link'] : []

const PageSize = v.object({
  limit: v.pipe(v.optional(Limit, '20'), v.description('The maximum number of items to return.')),
})

const PageStart = v.object({
  cursor: v.pipe(
    v.optional(Cursor),
    v.description(
      'Where the page starts. Do not build a cursor: follow the URL in `Link`. The example is ' +
        'the start of any list.',
    ),
  ),
})

/** The parameters of a page, as a function gets them. */
export type PageParameters = v.InferOutput<typeof PageSize & typeof PageStart>

export const KeyHeader = v.object({
  'Idempotency-Key': v.pipe(
    v.optional(IdempotencyKey),
    v.description(
      'Makes the request safe to retry for 24 hours: it takes effect once, and each retry gets ' +
        'the same response. Use a new key of 1 to 255 visible ASCII characters, such as a UUID, ' +
        'for each new request.',
    ),
  ),
})

export const ConditionHeader = v.object({
  'If-Match': v.pipe(
    v.optional(IfMatch),
    v.description(
      'The `ETag` that the resource must still have, without `W/`. Several are separated by ' +
        'commas; `*` allows any.',
    ),
  ),
})
