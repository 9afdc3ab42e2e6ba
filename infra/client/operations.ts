// The package has a generated file in place of this one (build.ts), because the schemas stay in the service.
import type * as v from 'valibot'
import { type Contract, contract, type Operation, type OperationId, type Output } from '../../shared/contract.ts'
import type { Route } from './request.ts'

export type { Int64 } from '../../shared/model/int64.ts'
export type { NewPet, Pet, PetChanges, PetStatus, Pets } from '../../shared/model/pet.ts'

/** What each operation gets and returns, and whether it takes an idempotency key. */
export type Operations = {
  [Id in OperationId]: {
    input: Given<Id, 'params'> & Given<Id, 'query'> & Given<Id, 'body'>
    result: Output<Id>['body']
    isKeyed: Contract[Id] extends { headers: { entries: { 'Idempotency-Key': unknown } } } ? true : false
  }
}

const routeOf = ({ method, path, query, headers, body, success }: Operation): Route => ({
  method,
  path,
  query: Object.keys(query?.entries ?? {}),
  headers: Object.keys(headers?.entries ?? {}).filter((name) => name !== 'Idempotency-Key'),
  hasBody: body !== undefined,
  isKeyed: 'Idempotency-Key' in (headers?.entries ?? {}),
  status: success.status,
  isList: 'body' in success && success.body.type === 'array',
})

/** How each operation is requested. */
export const operations = Object.fromEntries(Object.entries(contract).map(([id, entry]) => [id, routeOf(entry)]))

// A parameter is given as the value that the service parses from its text; a cursor is that text.
type Given<Id extends OperationId, Part extends string> =
  Contract[Id] extends Record<Part, infer S extends v.GenericSchema>
    ? {
        [Name in keyof v.InferInput<S>]: Name extends 'cursor'
          ? string
          : v.InferOutput<S>[Name & keyof v.InferOutput<S>]
      }
    : object
