// The package has a generated file in place of this one (build.ts), because the schemas stay in the service.
import type * as v from 'valibot'
import {
  type Contract,
  contract,
  type Operation,
  type OperationId,
  type Output,
  partsOf,
} from '../../shared/contract.ts'
import type { Route } from './request.ts'

export type { Int64 } from '../../shared/model/int64.ts'
export type { NewPet, Pet, PetChanges, PetStatus, Pets } from '../../shared/model/pet.ts'

/** What each operation gets and returns, and whether it takes an idempotency key. */
export type Operations = {
  [Id in OperationId]: {
    input: Given<Id, 'params'> & Given<Id, 'query'> & Cursor<Contract[Id]> & Given<Id, 'body'>
    result: Output<Id>['body']
    isKeyed: Contract[Id] extends { idempotent: true } ? true : false
  }
}

const routeOf = (entry: Operation): Route => ({
  method: entry.method,
  path: entry.path,
  query: Object.keys(partsOf(entry).query?.entries ?? {}),
  headers: Object.keys(entry.headers?.entries ?? {}),
  hasBody: entry.body !== undefined,
  isKeyed: entry.idempotent ?? false,
  status: entry.success.status,
  isList: 'body' in entry.success && entry.success.body.type === 'array',
})

/** How each operation is requested. */
export const operations = Object.fromEntries(Object.entries(contract).map(([id, entry]) => [id, routeOf(entry)]))

type Cursor<Entry> = Entry extends { paged: true } ? { cursor?: string | undefined } : object

// A parameter is given as the value that the service parses from its text.
type Given<Id extends OperationId, Part extends string> =
  Contract[Id] extends Record<Part, infer S extends v.GenericSchema>
    ? { [Name in keyof v.InferInput<S>]: v.InferOutput<S>[Name & keyof v.InferOutput<S>] }
    : object
