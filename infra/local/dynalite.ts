import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, parse } from 'node:path'
import { promisify } from 'node:util'
import { Level } from 'level'

// Required rather than imported, because the package has no types. These are internals, so package.json pins its version.
const require = createRequire(import.meta.url)
const db: Internals = require('dynalite/db')
const { checkTypes, checkValidations }: Validations = require('dynalite/validations')

/** A request, as far as the embedded database itself reads it. */
export type Request = { TableName: string; TransactItems: Record<string, Request>[]; ClientRequestToken?: string }

/** An operation of DynamoDB. `types` describes its request, and `custom` returns what else is wrong with one. */
export type Operation = {
  types: object
  custom: (request: Request, store: Store) => string | undefined
  run: (store: Store, request: Request) => Promise<object>
}

/** A write to the store: of an item, or of its entry in an index. */
export type Write = { type: 'put' | 'del'; key: string; value?: object | undefined }

/** The tables, and the key-value store that they are in. */
export type Store = {
  db: Omit<Level<string, object & { TableStatus?: string }>, 'batch'> & { batch: Batch }
  getItemDb: (table: string) => Items
}

type Done = (error?: unknown, result?: object) => void

/** Writes all or nothing. */
export type Batch = (writes: Write[], done?: Done) => Promise<void>

/** The items of a table. A lock excludes other writes of an item until what `release` returns is called. */
export type Items = {
  get: (key: string, done: Done) => void
  put: (key: string, item: object, done: Done) => void
  del: (key: string, done: Done) => void
  lock: (key: string, locked: (release: (done: Done) => Done) => void) => void
}

/** An error response. */
export type ApiError = Error & { statusCode: number; body: { __type: string; message?: string } }

/** Creates an error response. */
export const apiError = (type: string, message: string, more?: object): ApiError =>
  Object.assign(new Error(message), {
    statusCode: 400,
    body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message, ...more },
  })

export const { create: createStore, validationError } = db

/** The operation in a file of dynalite, such as `putItem`. */
export const operation = (name: string): Operation => {
  const { types, custom } = require(`dynalite/validations/${name}`)
  return { types, custom, run: promisify(require(`dynalite/actions/${name}`)) }
}

/** The names of dynalite's operations. */
export const operationNames: string[] = readdirSync(join(dirname(require.resolve('dynalite')), 'actions')).map(
  (file) => parse(file).name,
)

/** The request in a body. Throws an ApiError if it is invalid. */
export const parseRequest = (store: Store, { types, custom }: Operation, body: string): Request => {
  try {
    const request = checkTypes(JSON.parse(body), types)
    checkValidations(request, types, custom, store)
    return request
  } catch (error) {
    if (error instanceof Error && 'statusCode' in error) throw error
    // dynalite throws a TypeError for `null` in an unexpected place.
    throw apiError('SerializationException', `${error}`)
  }
}

/** The key of an item in the store. */
export const storeKey = (table: string, key: string): string => `item-${table}~${key}`

type Validations = {
  checkTypes: (request: unknown, types: object) => Request
  checkValidations: (request: Request, types: object, custom: Operation['custom'], store: Store) => void
}

type Change = { index: string; key: string; item?: object }

type Internals = {
  create: (options: { path: string | undefined; createTableMs: number }) => Store
  createKey: (item: object, table: object) => string
  validationError: (message: string) => ApiError
  getIndexActions: (...args: unknown[]) => { puts: Change[]; deletes: Change[] }
  updateIndexes: (
    store: Store,
    table: { TableName: string; GlobalSecondaryIndexes?: object[] },
    before: object | undefined,
    after: object | undefined,
    done: Done,
  ) => void
}

// dynalite writes an item's index entries one by one, and then the item. If the process were killed in between, lists would
// never agree with reads again. So one batch writes them all.
db.updateIndexes = (store, table, before, after, done) => {
  const { TableName, GlobalSecondaryIndexes = [] } = table
  const item = after ?? before
  if (!item) return done()
  const { puts, deletes } = db.getIndexActions(GlobalSecondaryIndexes, before, after, table)
  const write = (key: string, value?: object): Write => ({ type: value ? 'put' : 'del', key, value })
  const entries = [...deletes, ...puts].map(({ index, key, item }) =>
    write(`index-global~${TableName}~${index}~${key}`, item),
  )
  store.db.batch([...entries, write(storeKey(TableName, db.createKey(item, table)), after)], done)
}

// dynalite ends its iterators with `return`, as JavaScript's own iterators are ended, but those of Level only have
// `close`. Without this, every query would stay open and keep its snapshot of the store.
const stores: Pick<Level, 'attachResource'> = Object.getPrototypeOf(Level.prototype) // In-memory stores inherit it too.
const { attachResource } = stores
stores.attachResource = function (resource) {
  attachResource.call(this, Object.assign(resource, { return: () => resource.close() }))
}
