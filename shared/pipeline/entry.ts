import * as v from 'valibot'
import type { Page } from '../data/page.ts'
import type { Access } from '../data/tables.ts'
import type { Transaction } from '../data/transaction.ts'
import type { Caller } from '../model/api-key.ts'
import { IfMatch, type Revised } from '../model/etag.ts'
import { IdempotencyKey } from '../model/idempotency-key.ts'
import { Cursor, Limit } from '../model/paging.ts'
import type { Scope } from '../service.ts'
import type { SettingName } from '../settings.ts'

/**
 * What the contract says of an operation. Its pipeline, deployment, local route and documentation
 * follow from it.
 */
export type Entry = Operation & Method & Kind

type Operation = {
  /** Relative to the base address; `{name}` is a path parameter. */
  path: `/${string}`
  /** A short title, and the group that the documentation lists it in. */
  summary: string
  tag: string
  /** What an API key must allow to call the operation. */
  scope: Scope
  /** Shown in the documentation. Operations without it do not change incompatibly. */
  stability?: 'experimental' | 'beta'
  /**
   * The parameters of the request. An invalid path parameter is a 404; other invalid input is a
   * 400. A query parameter or a header whose schema is a list may be repeated.
   */
  params?: ObjectSchema
  query?: ObjectSchema
  headers?: ObjectSchema
  /** Errors of its own, besides those of every operation: an example of the message, by status. */
  errors?: Readonly<Record<number, string>>
  deprecated?: Deprecated
  /** What its function may do with tables, besides what follows (`permissions`). */
  access: Access
  /** The settings that its function gets. */
  settings?: readonly SettingName[]
}

/**
 * A GET has no body, and changes nothing. `idempotent` adds the header `Idempotency-Key`: requests
 * with the same one take effect once, and get the same response.
 */
type Method =
  | { method: 'GET'; body?: never; idempotent?: never }
  | { method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; body?: ObjectSchema; idempotent?: true }

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
  idempotent?: never
}

/**
 * The header `Location` has the path of the list of what is created, and its id, if an operation
 * has such a path. `location` is that list, if it is not at the path of the operation.
 */
type Creation = {
  success: {
    status: 201
    body: v.GenericSchema<unknown, { id: number }>
    location?: `/${string}` | undefined
  }
  paged?: never
  etag?: true
  conditional?: never
}

type Content = {
  success: { status: 200 | 202; body: v.GenericSchema<unknown, object> }
  paged?: never
  etag?: true
  conditional?: true
}

type Nothing = { success: { status: 202 | 204 }; paged?: never; etag?: never; conditional?: true }

/** A `v.object()` whose fields have a `v.description()`, maybe with checks of the whole object. */
export type ObjectSchema = v.GenericSchema<unknown, object> & { entries: v.ObjectEntries }

/** When an operation was deprecated, when it will be removed, and the path of its replacement. */
export type Deprecated = { since: Date; sunset: Date; successor: `/${string}` }

/** The parts of a request, with the parameters and headers that flags of the entry add. */
export const partsOf = (entry: Entry): Record<Part, ObjectSchema | undefined> => ({
  params: entry.params,
  query: merged(entry.paged && pageSize, entry.query, entry.paged && pageStart),
  headers: merged(entry.headers, entry.idempotent && idempotency, entry.conditional && condition),
  body: entry.body,
})

/** The request headers that an operation reads, besides `Authorization` and those of the body. */
export const requestHeaders = (entry: Entry): string[] =>
  Object.keys(partsOf(entry).headers?.entries ?? {})

/** The headers that a success of an operation may have, besides those of every response. */
export const successHeaders = ({ success, paged, idempotent, etag }: Entry): string[] => [
  ...(success.status === 201 ? ['Location'] : []),
  ...(idempotent ? ['Idempotent-Replayed'] : []),
  ...(paged ? ['Link'] : []),
  ...(etag ? ['ETag'] : []),
]

/** The headers that each response of an operation has to announce its removal. */
export const noticeHeaders = ({ deprecated }: Entry): string[] =>
  deprecated ? ['Deprecation', 'Sunset', 'Link'] : []

const pageSize = v.object({ limit: v.optional(Limit, '20') })
const pageStart = v.object({ cursor: v.optional(Cursor) })
const idempotency = v.object({ 'Idempotency-Key': v.optional(IdempotencyKey) })
const condition = v.object({ 'If-Match': v.optional(IfMatch) })

/** The fields of all schemas, with the checks of each. */
const merged = (...schemas: (ObjectSchema | undefined)[]): ObjectSchema | undefined => {
  const given = schemas.filter((schema) => schema !== undefined)
  if (given.length < 2) return given[0]
  const entries = Object.assign({}, ...given.map((schema) => schema.entries))
  return { ...v.intersect(given), entries }
}

export type Part = 'params' | 'query' | 'headers' | 'body'

/** What a function gets. Nothing of it can be changed, because the function may run again. */
export type Input<E extends Entry> = {
  /** The transaction of the operation: everything that it reads and writes goes through it. */
  tx: Transaction
  caller: Caller
  /** The parsed parts of the request. */
  params: Parsed<E, 'params'>
  query: Parsed<E, 'query'> & (E extends { paged: true } ? PageParameters : unknown)
  headers: Parsed<E, 'headers'>
  body: Parsed<E, 'body'>
  /** The revisions that the client expects; `undefined` for any. */
  ifMatch: E extends { conditional: true } ? IfMatch | undefined : undefined
  /** The values of the settings that the entry names. */
  settings: Record<
    E extends { settings: readonly (infer Name extends SettingName)[] } ? Name : never,
    string
  >
}

type PageParameters = v.InferOutput<typeof pageSize & typeof pageStart>

type Parsed<E, Name extends Part> = E extends { [N in Name]: infer S extends v.GenericSchema }
  ? v.InferOutput<S>
  : unknown

/** The function of an operation. It may run several times, and only the last run counts. */
export type Run<E extends Entry> = (input: Input<E>) => Returned<E>

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
