import * as v from 'valibot'
import { IfMatch } from '../model/etag.ts'
import { IdempotencyKey } from '../model/idempotency-key.ts'
import { Cursor, Limit } from '../model/paging.ts'
import type { AnyEntry, ObjectSchema } from './entry.ts'

// What follows from an entry, most of it from its method.

/** The status of a success. A POST without a body creates nothing. */
export const successStatus = ({ method, body }: AnyEntry): number =>
  ({ GET: 200, POST: body ? 201 : 200, PATCH: 200, DELETE: 204 })[method]

/** Whether an operation returns a resource as it is stored, which has an `ETag`. */
export const returnsResource = ({ returns }: AnyEntry): boolean =>
  returns !== undefined && 'id' in returns.entries

/** Whether an operation takes an `Idempotency-Key`: each one that may change something does. */
export const takesIdempotencyKey = ({ method }: AnyEntry): boolean => method !== 'GET'

/** Whether an operation takes an `If-Match`: each one that changes or deletes a resource does. */
export const takesIfMatch = ({ method }: AnyEntry): boolean => ['PATCH', 'DELETE'].includes(method)

/** A path parameter in the path of an entry. */
export const PATH_PARAMETER = /\{(\w+)\}/g

/** The schemas of each part of a request: those of the entry, and those that follow from it. */
export const partsOf = (entry: AnyEntry): Record<RequestPart, ObjectSchema[]> => ({
  params: withoutAbsent(entry.params),
  // In this order, the reference has `limit` first and `cursor` last.
  query: withoutAbsent(entry.pages && PageSize, entry.query, entry.pages && PageStart),
  headers: withoutAbsent(
    takesIdempotencyKey(entry) && KeyHeader,
    takesIfMatch(entry) && ConditionHeader,
  ),
  body: withoutAbsent(entry.body),
})

type RequestPart = 'params' | 'query' | 'headers' | 'body'

const withoutAbsent = (...schemas: (ObjectSchema | false | undefined)[]): ObjectSchema[] =>
  schemas.filter((schema) => schema !== undefined && schema !== false)

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
