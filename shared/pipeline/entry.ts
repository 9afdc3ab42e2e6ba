import * as v from 'valibot'
import type { Page } from '../data/list.ts'
import type { Access } from '../data/tables.ts'
import type { Transaction } from '../data/transaction.ts'
import { IfMatch, type Revised } from '../model/etag.ts'
import { IdempotencyKey } from '../model/idempotency-key.ts'
import { meanings } from '../model/meanings.ts'
import { Cursor, Limit } from '../model/paging.ts'
import type { Scope } from '../service.ts'

/**
 * What the contract says of an operation. Its pipeline, deployment, local route and documentation
 * follow from it.
 */
export type Entry = Operation & Method & Kind

type Operation = {
  /** Relative to the base address; `{name}` is a path parameter. */
  path: `/${string}`
  /** A short title. */
  summary: string
  /** What a caller must know beyond the title, in Markdown. */
  description: string
  /** The group that the documentation lists it in. */
  tag: string
  /** What an API key must allow to call the operation. */
  scope: Scope
  /** Shown in the documentation. Operations without it do not change incompatibly. */
  stability?: 'experimental' | 'beta'
  /** The path parameters. An invalid one is a 404; other invalid input is a 400. */
  params?: ObjectSchema
  query?: ObjectSchema
  /** Errors of its own, besides those of every operation: an example of the message, by status. */
  errors?: Readonly<Record<number, string>>
  deprecated?: Deprecated
  /** What its function may do with tables, besides what follows (`permissions`). */
  access: Access
}

/**
 * A GET has no body, and changes nothing. All others take the header `Idempotency-Key`: requests
 * with the same one take effect once, and get the same response.
 */
type Method =
  | { method: 'GET'; body?: never }
  | { method: 'POST' | 'PATCH' | 'DELETE'; body?: ObjectSchema }

/**
 * The kinds of entries, by what a success returns, and their flags: `paged` adds `limit`, `cursor`
 * and links to the next page; `etag` the header `ETag`; `conditional` the header `If-Match`.
 */
type Kind = List | Creation | Content | Nothing

type List = {
  success: { status: 200; body: v.GenericSchema<unknown, unknown[]> }
  paged: true
  etag?: never
  conditional?: never
}

/** `Location` has the path of the operation and the id, if an operation has that path. */
type Creation = {
  success: { status: 201; body: v.GenericSchema<unknown, { id: number }> }
  paged?: never
  etag?: true
  conditional?: never
}

type Content = {
  success: { status: 200; body: v.GenericSchema<unknown, object> }
  paged?: never
  etag?: true
  conditional?: true
}

type Nothing = { success: { status: 204 }; paged?: never; etag?: never; conditional?: true }

/** A `v.object()`, maybe with checks, whose pipe says what its fields mean (`meanings`). */
export type ObjectSchema = v.GenericSchema<unknown, object> & { entries: v.ObjectEntries }

/** When an operation was deprecated, when it will be removed, and the path of its replacement. */
export type Deprecated = { since: Date; sunset: Date; successor: `/${string}` }

/** Whether an operation takes an `Idempotency-Key`: each one that may change something does. */
export const takesKey = ({ method }: Entry): boolean => method !== 'GET'

/** The schemas of each part of a request: those of the entry, and those that follow from it. */
export const partsOf = (entry: Entry): Record<Part, ObjectSchema[]> => ({
  params: given(entry.params),
  query: given(entry.paged && PageSize, entry.query, entry.paged && PageStart),
  headers: given(takesKey(entry) && Idempotency, entry.conditional && Condition),
  body: given(entry.body),
})

type Part = 'params' | 'query' | 'headers' | 'body'

const given = (...schemas: (ObjectSchema | false | undefined)[]): ObjectSchema[] =>
  schemas.filter((schema) => schema !== undefined && schema !== false)

/** The request headers that an operation reads, besides `Authorization` and those of the body. */
export const requestHeaders = (entry: Entry): string[] =>
  partsOf(entry).headers.flatMap(({ entries }) => Object.keys(entries))

/** The headers that a success of an operation may have, besides those of every response. */
export const successHeaders = (entry: Entry): string[] => [
  ...(entry.success.status === 201 ? ['Location'] : []),
  ...(takesKey(entry) ? ['Idempotent-Replayed'] : []),
  ...(entry.paged ? ['Link'] : []),
  ...(entry.etag ? ['ETag'] : []),
]

/** The headers that each response of an operation has to announce its removal. */
export const noticeHeaders = ({ deprecated }: Entry): string[] =>
  deprecated ? ['Deprecation', 'Sunset', 'Link'] : []

const PageSize = v.pipe(
  v.object({ limit: v.optional(Limit, '20') }),
  meanings({ limit: 'The maximum number of items to return.' }),
)

const PageStart = v.pipe(
  v.object({ cursor: v.optional(Cursor) }),
  meanings({
    cursor:
      'Where the page starts. Do not build a cursor: follow the URL in `Link`. The example is the ' +
      'start of any list.',
  }),
)

export const Idempotency = v.pipe(
  v.object({ 'Idempotency-Key': v.optional(IdempotencyKey) }),
  meanings({
    'Idempotency-Key':
      'Makes the request safe to retry for 24 hours: it takes effect once, and each retry gets the ' +
      'same response. Use a new key of 1 to 255 visible ASCII characters, such as a UUID, for ' +
      'each new request.',
  }),
)

const Condition = v.pipe(
  v.object({ 'If-Match': v.optional(IfMatch) }),
  meanings({
    'If-Match':
      'The `ETag` that the resource must still have, without `W/`. Several are separated by ' +
      'commas; `*` allows any.',
  }),
)

/** What a function gets. Nothing of it can be changed, because the function may run again. */
type Input<E> = {
  /** The transaction of the operation: everything that it reads and writes goes through it. */
  tx: Transaction
  /** The parsed parts of the request. */
  params: Parsed<E, 'params'>
  query: Parsed<E, 'query'> & (E extends { paged: true } ? PageParameters : unknown)
  body: Parsed<E, 'body'>
  /** The revisions that the client expects; `undefined` for any. */
  ifMatch: E extends { conditional: true } ? IfMatch | undefined : undefined
}

type PageParameters = v.InferOutput<typeof PageSize & typeof PageStart>

type Parsed<E, Name extends Part> = E extends { [N in Name]: infer S extends v.GenericSchema }
  ? v.InferOutput<S>
  : unknown

/** The function of an operation. It may run several times, and only the last run counts. */
export type Run<E> = (input: Input<E>) => Returned<E>

/** What a function returns, by the kind of its entry. */
type Returned<E> = E extends {
  paged: true
  success: { body: infer Body extends v.GenericSchema<unknown, unknown[]> }
}
  ? Promise<Page<v.InferOutput<Body>[number]>>
  : E extends { success: { body: infer Body extends v.GenericSchema } }
    ? Promise<
        E extends { success: { status: 201 } } | { etag: true }
          ? Revised<v.InferOutput<Body>>
          : v.InferOutput<Body>
      >
    : Promise<void>
