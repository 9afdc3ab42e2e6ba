import * as v from 'valibot'
import type { Access } from '../data/tables.ts'
import { IfMatch } from '../model/etag.ts'
import { meaning } from '../model/fields.ts'
import { IdempotencyKey } from '../model/idempotency-key.ts'
import { Cursor, Limit } from '../model/paging.ts'
import type { Scope } from '../service.ts'

/**
 * What the contract says of an operation. Its pipeline, deployment, local route and documentation
 * follow from it.
 */
export type Entry = Members & MethodRule & SuccessRule

/** What an entry says. `MethodRule` and `SuccessRule` say what goes together. */
type Members = {
  /**
   * A GET changes nothing. Each other method takes the header `Idempotency-Key`: requests with the
   * same key take effect once, and get the same response.
   */
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
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
  /** The path parameters. An invalid one is a 404; other invalid input is a 400. */
  params?: ObjectSchema
  /** The query parameters. `paged` adds `limit` and `cursor`. */
  query?: ObjectSchema
  /** The JSON body, which the operation then requires. A GET has none. */
  body?: ObjectSchema
  /** The status of a success, and the schema of its body: other fields are not sent. */
  success: { status: 200 | 201 | 204 }
  /**
   * Makes a list of pages: adds the query parameters `limit` and `cursor`, and the header `Link`
   * with the next page. The function returns `{ items, next }`.
   */
  paged?: true
  /**
   * Adds the header `ETag` with the revision of the resource. The function returns `{ resource,
   * revision }`.
   */
  etag?: true
  /**
   * Adds the header `If-Match`: the change happens only if the resource still has a revision that
   * the client names, otherwise the response is a 412. The function gets it as `ifMatch`.
   */
  conditional?: true
  /** Its own errors, besides those of every operation: an example of the message, by status. */
  errors?: Readonly<Record<number, string>>
  /**
   * The rights of its function: what it may do with the items of each table. The pipeline has those
   * that it needs itself, to read API keys and to store responses.
   */
  access: Access
}

type MethodRule = { method: 'GET'; body?: never } | { method: 'POST' | 'PATCH' | 'DELETE' }

type SuccessRule = List | Creation | Content | NoContent

type List = {
  success: { status: 200; body: v.GenericSchema<unknown, unknown[]> }
  paged: true
  etag?: never
  conditional?: never
}

/** `Location` is the path and the new id, if an operation has the path of one resource. */
type Creation = {
  success: { status: 201; body: v.GenericSchema<unknown, { id: number }> }
  paged?: never
  conditional?: never
}

type Content = {
  success: { status: 200; body: v.GenericSchema<unknown, object> }
  paged?: never
}

type NoContent = { success: { status: 204 }; paged?: never; etag?: never }

/** A `v.object()`, maybe with checks. The pipe of each field says what it means (`meaning`). */
export type ObjectSchema = v.GenericSchema<unknown, object> & { entries: v.ObjectEntries }

/** When an operation was deprecated, when it will be removed, and the path of its replacement. */
export type Deprecated = { since: Date; sunset: Date; successor: `/${string}` }

/** A path parameter in the path of an entry. */
export const PATH_PARAMETER = /\{(\w+)\}/g

/** Whether an operation takes an `Idempotency-Key`: each one that may change something does. */
export const takesIdempotencyKey = ({ method }: Entry): boolean => method !== 'GET'

/** The schemas of each part of a request: those of the entry, and those that follow from it. */
export const partsOf = (entry: Entry): Record<RequestPart, ObjectSchema[]> => ({
  params: given(entry.params),
  // In this order, the reference has `limit` first and `cursor` last.
  query: given(entry.paged && PageSize, entry.query, entry.paged && PageStart),
  headers: given(takesIdempotencyKey(entry) && KeyHeader, entry.conditional && ConditionHeader),
  body: given(entry.body),
})

export type RequestPart = 'params' | 'query' | 'headers' | 'body'

const given = (...schemas: (ObjectSchema | false | undefined)[]): ObjectSchema[] =>
  schemas.filter((schema) => schema !== undefined && schema !== false)

/** The request headers that an operation reads, besides `Authorization` and those of the body. */
export const requestHeaders = (entry: Entry): string[] =>
  partsOf(entry).headers.flatMap(({ entries }) => Object.keys(entries))

/** The headers that a success of an operation may have, besides those of every response. */
export const successHeaders = (entry: Entry): string[] => [
  ...(entry.success.status === 201 ? ['Location'] : []),
  ...(takesIdempotencyKey(entry) ? ['Idempotent-Replayed'] : []),
  ...(entry.paged ? ['Link'] : []),
  ...(entry.etag ? ['ETag'] : []),
]

/** The headers with which each response of an operation announces its removal. */
export const noticeHeaders = ({ deprecated }: Entry): string[] =>
  deprecated ? ['Deprecation', 'Sunset', 'Link'] : []

const PageSize = v.object({
  limit: v.pipe(v.optional(Limit, '20'), meaning('The maximum number of items to return.')),
})

const PageStart = v.object({
  cursor: v.pipe(
    v.optional(Cursor),
    meaning(
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
    meaning(
      'Makes the request safe to retry for 24 hours: it takes effect once, and each retry gets ' +
        'the same response. Use a new key of 1 to 255 visible ASCII characters, such as a UUID, ' +
        'for each new request.',
    ),
  ),
})

export const ConditionHeader = v.object({
  'If-Match': v.pipe(
    v.optional(IfMatch),
    meaning(
      'The `ETag` that the resource must still have, without `W/`. Several are separated by ' +
        'commas; `*` allows any.',
    ),
  ),
})
