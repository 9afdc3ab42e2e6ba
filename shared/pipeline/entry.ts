import type * as v from 'valibot'
import type { Page } from '../data/list.ts'
import type { Access } from '../data/tables.ts'
import type { Transaction } from '../data/transaction.ts'
import type { ApiError } from '../model/api-error.ts'
import type { IfMatch, WithRevision } from '../model/etag.ts'
import type { Scope } from '../service.ts'

/**
 * What the contract says of an operation. Its pipeline, deployment, local route and documentation
 * follow from it.
 */
export type Declaration =
  | ((List | Read) & NeedsScope<'read'>)
  | ((Create | Change | Remove) & NeedsScope<'write'>)

/** With a key that may only read, nothing can be changed. */
type NeedsScope<Kind extends string> = { scope: `${string}:${Kind}` }

/** A page of a list: with the parameters `limit` and `cursor`, and a `Link` to the next page. */
interface List extends Common {
  method: 'GET'
  params?: ObjectSchema
  /** The filters: each is a field of the collection that `access` lists. */
  query?: ObjectSchema
  pages: Body<unknown[]>
}

/** An object. One with an `id` is a resource as it is stored, and has an `ETag`. */
interface Read extends Common {
  method: 'GET'
  params?: ObjectSchema
  query?: never
  returns: Resource | (ObjectSchema & { entries: { id?: never } })
}

/**
 * A new resource: a 201 with its `ETag`, and with its `Location` if an operation has the path of
 * one resource. Without a body, it is a resource that was moved on: a 200 with its `ETag`.
 */
interface Create extends Common {
  method: 'POST'
  params?: ObjectSchema
  body?: ObjectSchema
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

/** What any operation says besides its form. */
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
type Resource = ObjectSchema & Body<{ id: number }>

/** A `v.object()`, possibly with checks. The pipe of each field says what it means. */
export type ObjectSchema = v.GenericSchema<unknown, Record<string, unknown>> & {
  entries: v.ObjectEntries
}

/** When an operation was deprecated, when it will be removed, and the path of its replacement. */
export type Deprecated = { since: Date; sunset: Date; successor: `/${string}` }

/**
 * What the function of an entry gets: the request, parsed and frozen, and its transaction. That of
 * updatePet gets `{ tx, client, params: { petId }, body: PetChanges, ifMatch }`.
 */
export type Input<E> = {
  /** Everything that it reads and writes goes through the transaction. */
  tx: Transaction
  /** Whose API key it is: the same after the key was rotated. */
  client: { id: string }
  params: Parsed<E, 'params'>
  /** Which page of a list. */
  page: E extends { pages: unknown }
    ? { limit: number; cursor?: number | undefined; filter: Filter<E> }
    : undefined
  body: Parsed<E, 'body'>
  /** The revisions that the client expects; `undefined` for any. */
  ifMatch: E extends { method: 'PATCH' | 'DELETE' } ? IfMatch | undefined : undefined
}

type Filter<E> = E extends { query: unknown } ? Parsed<E, 'query'> : object

type Parsed<E, Part extends 'params' | 'query' | 'body'> =
  E extends Record<Part, infer Schema extends v.GenericSchema> ? v.InferOutput<Schema> : undefined

/** What the function of an entry returns: a page, an object, or nothing. */
export type Result<E> = E extends { pages: Body<(infer Item)[]> }
  ? Promise<Page<Item>>
  : E extends { returns: Body<infer Returned> }
    ? Promise<Returned extends { id: number } ? WithRevision<Returned> : Returned>
    : Promise<void>

/** Any of the five forms in one type, for what works with every operation. */
export interface AnyEntry extends Common {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  params?: ObjectSchema
  query?: ObjectSchema
  body?: ObjectSchema
  pages?: Body<unknown[]>
  returns?: ObjectSchema
}
