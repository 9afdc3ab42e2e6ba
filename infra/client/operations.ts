// In the package, build.ts replaces this file: the schemas stay in the service.
import type * as v from 'valibot'
import { type Contract, contract } from '../../shared/contract.ts'
import { type Entry, type Part, partsOf } from '../../shared/pipeline/entry.ts'
import { type Flag, flags, type Route } from './request.ts'

export { NO_PATH } from '../../shared/model/api-error.ts'
export type { Int64 } from '../../shared/model/int64.ts'

/** What each operation gets and returns, and the flags of its entry. */
export type Operations = {
  [Id in keyof Contract]: {
    input: AllParts<Contract[Id]>
    result: SuccessBody<Contract[Id]>
  } & EntryFlags<Contract[Id]>
}

/** How an entry is requested. */
export const entryRoute = (entry: Entry): Route => ({
  method: entry.method,
  path: entry.path,
  query: Object.keys(partsOf(entry).query?.entries ?? {}),
  headers: Object.keys(entry.headers?.entries ?? {}),
  body: entry.body && Object.keys(entry.body.entries),
  status: entry.success.status,
  result: resultKind(entry),
  flags: flags.filter((flag) => entry[flag]),
})

const resultKind = ({ success, etag }: Entry): Route['result'] => {
  if (!('body' in success)) return 'nothing'
  if (success.status === 201 || etag) return 'resource'
  return success.body.type === 'array' ? 'list' : 'object'
}

/** How each operation is requested. */
export const operationRoutes = Object.fromEntries(
  Object.entries(contract).map(([id, entry]) => [id, entryRoute(entry)]),
)

type SuccessBody<E> = E extends { success: { body: infer Body extends v.GenericSchema } }
  ? v.InferOutput<Body>
  : undefined

type EntryFlags<E> = Pick<E, Flag & keyof E>

type AllParts<E> = Given<E, 'params'> & Given<E, 'query'> & Given<E, 'headers'> & Given<E, 'body'>

// Parameters are given as parsed values, and may be left out if their texts may.
type Given<E, P extends Part> =
  E extends Record<P, infer S extends v.GenericSchema>
    ? { [Name in keyof v.InferInput<S>]: v.InferOutput<S>[Name & keyof v.InferOutput<S>] }
    : object
