import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { Level } from 'level'

// dynalite has no types. This file uses internals of it and of Level, so package.json pins both.
// Its own server ends the process for some requests, and has no transactions
// (https://github.com/architect/dynalite/issues/98).
const require = createRequire(import.meta.url)
const db: Internals = require('dynalite/db')
const validations: Validations = require('dynalite/validations')

/** The tables, in a key-value store. */
export type Store = {
  db: Level<string, object>
  getTable: (name: string, done: (error: unknown, table?: TableDefinition) => void) => void
  getItemDb: (table: string) => ItemStore
  getIndexDb: (type: string, table: string, index: string) => Writes
}

type Writes = {
  put: (key: string, item: object, done: Done) => void
  del: (key: string, done: Done) => void
}

/** The items of a table. */
type ItemStore = Writes & {
  get: (key: string, done: Done) => void
  lock: unknown
}

type Done = (error?: unknown, result?: object) => void

/** What the store keeps of a `CreateTable`. */
type TableDefinition = KeySchemas & {
  GlobalSecondaryIndexes?: KeySchemas[]
}

type KeySchemas = { KeySchema: { AttributeName: string; KeyType: 'HASH' | 'RANGE' }[] }

/** Attributes in DynamoDB's JSON, such as `{ id: { N: '7' } }`. */
type Item = Record<string, { S?: string; B?: string }>

/** A write of the key-value store. */
type StoreWrite = { type: 'put'; key: string; value: object } | { type: 'del'; key: string }

/** An action of DynamoDB's API. `parse` throws a DynamoDBError, or for some bodies a TypeError. */
export type ApiAction = {
  parse: (store: Store, body: unknown) => Request
  run: (store: Store, request: Request) => Promise<object>
}

/** A request of an action. `ALL_OLD`: the error of a failed condition has the item. */
type Request = { ReturnValuesOnConditionCheckFailure?: unknown }

/** An action such as `PutItem`. */
export const apiAction = (name: string): ApiAction => {
  const file = name.charAt(0).toLowerCase() + name.slice(1)
  const { types, custom } = require(`dynalite/validations/${file}`)
  const parse = (store: Store, body: unknown): Request => {
    const { ReturnValuesOnConditionCheckFailure } = Object(body) // dynalite deletes it.
    const request = validations.checkTypes(body, types)
    validations.checkValidations(request, types, custom, store)
    return { ...request, ReturnValuesOnConditionCheckFailure }
  }
  return { parse, run: promisify(require(`dynalite/actions/${file}`)) }
}

/** Runs actions without their writes, which `perform` then does with one batch, all or nothing. */
export class Rehearsal {
  /** The keys of the items that were read, each as often as that. */
  readonly reads: string[] = []
  readonly #real: Store
  readonly #writes: StoreWrite[] = []

  constructor(real: Store) {
    this.#real = real
  }

  /** Runs an action. Throws a DynamoDBError if it fails. */
  async run(action: ApiAction, request: Request): Promise<object> {
    let found: object | undefined
    const store = this.#storeFor((item) => {
      found = item
    })
    try {
      return await action.run(store, request)
    } catch (error) {
      const wantsItem = request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD'
      if (wantsItem && found && isFailedCondition(error)) error.body.Item = found
      throw error
    }
  }

  /** A store that notes writes, and calls `note` with each item that it reads. */
  #storeFor(note: (item: object | undefined) => void): Store {
    const real = this.#real
    const getItemDb = (table: string): ItemStore => {
      const { get, lock } = real.getItemDb(table)
      const writes = this.#noteWrites(`item-${table}~`)
      const put: ItemStore['put'] = (key, item, done) =>
        real.getTable(table, (error, definition) => {
          const problem = error ?? (definition && keySizeProblem(definition, item as Item))
          if (problem) done(problem)
          else writes.put(key, item, done)
        })
      const noteAndGet: ItemStore['get'] = (key, done) => {
        this.reads.push(`${table}~${key}`)
        get(key, (error, item) => {
          note(item)
          done(error, item)
        })
      }
      return { ...writes, put, get: noteAndGet, lock }
    }
    const getIndexDb: Store['getIndexDb'] = (_type, table, index) =>
      this.#noteWrites(`index-global~${table}~${index}~`)
    return { ...real, getItemDb, getIndexDb }
  }

  /** Does the writes of all actions, and others, or none of them. */
  perform(...others: StoreWrite[]): Promise<void> {
    return this.#real.db.batch([...this.#writes, ...others])
  }

  #noteWrites(prefix: string): Writes {
    const note = (write: StoreWrite, done: Done): void => {
      this.#writes.push(write)
      done()
    }
    return {
      put: (key, value, done) => note({ type: 'put', key: prefix + key, value }, done),
      del: (key, done) => note({ type: 'del', key: prefix + key }, done),
    }
  }
}

/**
 * Why DynamoDB refuses an item whose key, or key in an index, is too long. dynalite does not check
 * those of indexes, and counts characters in place of bytes.
 */
const keySizeProblem = (table: TableDefinition, item: Item): DynamoDBError | undefined => {
  for (const { KeySchema } of [table, ...(table.GlobalSecondaryIndexes ?? [])])
    for (const { AttributeName, KeyType } of KeySchema) {
      const { S, B } = item[AttributeName] ?? {}
      const bytes = S ? Buffer.byteLength(S) : Buffer.byteLength(B ?? '', 'base64')
      if (bytes > MAX_KEY_BYTES[KeyType]) return validationError(KEY_IS_TOO_LONG[KeyType])
    }
  return undefined
}

const MAX_KEY_BYTES = { HASH: 2048, RANGE: 1024 }
const INVALID = 'One or more parameter values were invalid:'
const KEY_IS_TOO_LONG = {
  HASH: `${INVALID} Size of hashkey has exceeded the maximum size limit of2048 bytes`,
  RANGE: `${INVALID} Aggregated size of all range keys has exceeded the size limit of 1024 bytes`,
}

/** An error response of DynamoDB. */
type DynamoDBError = Error & {
  statusCode: number
  body: { __type: string; message?: string; Item?: object }
}

export const isDynamoDBError = (error: unknown): error is DynamoDBError =>
  error instanceof Error && 'statusCode' in error

/** Whether an error says that the condition of a write was not met. */
export const isFailedCondition = (error: unknown): error is DynamoDBError =>
  isDynamoDBError(error) && error.body.__type.endsWith('#ConditionalCheckFailedException')

/** Creates an error response. */
export const dynamoDBError = (type: string, message: string, more?: object): DynamoDBError => {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message, ...more }
  return Object.assign(new Error(message), { statusCode: 400, body })
}

export const { create: createStore, validationError } = db

type Validations = {
  checkTypes: (body: unknown, types: object) => object
  checkValidations: (request: object, types: object, custom: unknown, store: Store) => void
}

type Internals = {
  create: (options: { path: string | undefined; createTableMs: number }) => Store
  validationError: (message: string) => DynamoDBError
}

// A patch of Level 10.0.0 (no issue known): dynalite ends iterators with `return`, but those of
// Level only have `close`. Without it, queries would stay open and keep snapshots of the store.
const stores: Pick<Level, 'attachResource'> = Object.getPrototypeOf(Level.prototype)
const { attachResource } = stores
stores.attachResource = function (resource) {
  attachResource.call(this, Object.assign(resource, { return: () => resource.close() }))
}
