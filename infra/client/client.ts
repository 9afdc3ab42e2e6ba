import { type List, listOf } from './list.ts'
import { type Operations, operations } from './operations.ts'
import { type Route, requestOf } from './request.ts'
import { type CallOptions, type ClientOptions, type Send, sender } from './send.ts'

// The package exports what this file exports.
export { writeJson as stringifyJson } from './exact-json.ts'
export type { List, Page } from './list.ts'
export type * from './operations.ts'
export { PetStoreError } from './pet-store-error.ts'
export type { CallOptions, ClientOptions } from './send.ts'

/** A client of one API: a method for each operation, named by its operationId. A call that fails throws a PetStoreError. */
export type Client = { [Id in keyof Operations]: Method<Operations[Id]> }

/** Options of a call that takes effect once, however often it is repeated with the same key and input within 24 hours. */
export type KeyedCallOptions = CallOptions & {
  /** Identifies the call (default: a random key). */
  idempotencyKey?: string | undefined
}

/**
 * Creates a client for browsers and Node.js.
 *
 * @throws TypeError if `baseUrl` is not an HTTP or HTTPS address, or a header cannot hold `apiKey`
 */
export const createClient = (options: ClientOptions): Client => {
  const send = sender(Object(options))
  const methods = Object.entries(operations).map(([id, route]) => [id, methodOf(route, send)])
  return Object.fromEntries(methods) as Client // `operations` and its types follow from the same contract.
}

type Method<Operation extends Operations[keyof Operations], Input = Operation['input']> = object extends Input
  ? (input?: Input, options?: OptionsOf<Operation>) => ResultOf<Input, Operation['result']>
  : (input: Input, options?: OptionsOf<Operation>) => ResultOf<Input, Operation['result']>

type OptionsOf<Operation> = Operation extends { isKeyed: true } ? KeyedCallOptions : CallOptions

type ResultOf<Input, Result> = [Result, 'cursor'] extends [(infer Item)[], keyof Input] ? List<Item> : Promise<Result>

const methodOf =
  (route: Route, send: Send) =>
  (input: object = {}, { idempotencyKey, ...options }: KeyedCallOptions = {}) => {
    const call = async (next?: { cursor: string }) =>
      send(requestOf(route, { ...input, ...next }, idempotencyKey), options)
    return route.isList && route.query.includes('cursor') ? listOf(call) : call().then(({ body }) => body)
  }
