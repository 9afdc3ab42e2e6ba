import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { Level } from 'level'

// Required rather than imported, because the package has no types. These are internals of dynalite, and below of Level: so
// package.json pins both. dynalite's own server would end the process for some requests, and has no transactions
// (https://github.com/architect/dynalite/issues/98).
const require = createRequire(import.meta.url)
const db: Internals = require('dynalite/db')
const validations: Validations = require('dynalite/validations')

/** The tables, and the key-value store that they are in. */
export type Store = { db: Omit<Level<string, Table>, 'batch'> & { batch: Batch }; getItemDb: (table: string) => Items }

/** Writes items and their entries in indexes, all or nothing. */
type Batch = (writes: Write[], done?: Done) => Promise<void>

export type Write = { type: 'put' | 'del'; key: string; value?: object | undefined }

type Done = (error?: unknown, result?: object) => void

/** The items of a table. A lock excludes other writes of an item until what `release` returns is called. */
type Items = {
  get: (key: string, done: Done) => void
  put: (key: string, item: object, done: Done) => void
  del: (key: string, done: Done) => void
  lock: (key: string, locked: (release: (done: Done) => Done) => void) => void
}

/** An error response of DynamoDB. */
export type DynamoDBError = Error & { statusCode: number; body: { __type: string; message?: string } }

export const isDynamoDBError = (error: unknown): error is DynamoDBError =>
  error instanceof Error && 'statusCode' in error

/** Creates an error response. */
export const dynamoDBError = (type: string, message: string, more?: object): DynamoDBError => {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message, ...more }
  return Object.assign(new Error(message), { statusCode: 400, body })
}

/** An action of DynamoDB's API in dynalite. `parse` throws a DynamoDBError, or for some malformed bodies a TypeError. */
export type ApiAction = {
  parse: (store: Store, body: unknown) => object
  run: (store: Store, request: object) => Promise<object>
}

/** An action such as `PutItem`, with additions to the types of its request. */
export const apiAction = (name: string, additions?: object): ApiAction => {
  const file = name.charAt(0).toLowerCase() + name.slice(1)
  const { types, custom } = require(`dynalite/validations/${file}`)
  const parse = (store: Store, body: unknown): object => {
    const request = validations.checkTypes(body, { ...types, ...additions })
    if ('LocalSecondaryIndexes' in request)
      throw validationError('The embedded database only has global secondary indexes.')
    validations.checkValidations(request, { ...types, ...additions }, custom, store)
    return request
  }
  return { parse, run: promisify(require(`dynalite/actions/${file}`)) }
}

/** dynalite's actions but those for tags and the time to live, and `UpdateTable`, which cannot change indexes. */
export const apiActions = new Map(
  [
    ...['CreateTable', 'DeleteTable', 'DescribeTable', 'ListTables', 'Query', 'Scan'],
    ...['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchGetItem', 'BatchWriteItem'],
  ].map((name) => [name, apiAction(name)]),
)

export const { create: createStore, itemSize, validationError } = db

/** What an action returns, and what it wants to write. */
export type Outcome = { result: object; writes: Write[] }

/** An action that waits for its item. */
export type Suspended = { key: string; lock: () => Promise<() => void>; resume: (item?: object) => Promise<Outcome> }

/**
 * Runs an action until it reads its item: dynalite calls `lock`, which locks nothing, and then `get`, which resolves the promise.
 * The caller takes the real lock, reads the item and calls `resume`. dynalite then checks the condition and calls `batch`, whose
 * writes are collected, and `put` or `del`, which write nothing.
 */
export const suspend = (store: Store, run: ApiAction['run'], request: object): Promise<Suspended> =>
  new Promise((resolve, reject) => {
    const writes: Write[] = []
    const collect: Batch = async (batch, done) => {
      writes.push(...batch)
      done?.()
    }
    const getItemDb: Store['getItemDb'] = (table) => ({
      lock: (_key, locked) => locked((done) => done),
      get: (key, done) => {
        const { lock } = store.getItemDb(table)
        resolve({
          key: storeKey(table, key),
          lock: () => new Promise((resolve) => lock(key, (release) => resolve(release(() => {})))),
          resume: (item) => {
            done(null, item)
            return outcome
          },
        })
      },
      // The batch that has the index entries has the item too.
      put: (_key, _item, done) => done(),
      del: (_key, done) => done(),
    })
    const outcome = run({ ...withBatch(store, collect), getItemDb }, request).then((result) => ({ result, writes }))
    outcome.catch(reject)
  })

/** A store that writes its batches in another way. */
export const withBatch = (store: Store, batch: Batch): Store => ({
  ...store,
  db: Object.assign(Object.create(store.db), { batch }),
})

/** The key of an item in the store. */
const storeKey = (table: string, key: string): string => `item-${table}~${key}`

type Validations = {
  checkTypes: (body: unknown, types: object) => object
  checkValidations: (request: object, types: object, custom: unknown, store: Store) => void
  validateExpressions: (request: Expressions) => string | undefined
}

/** A request with expressions, and what they were parsed into. */
type Expressions = { [Name in `${string}Expression`]?: string } & { _condition?: Parsed; _filter?: Parsed }
type Parsed = { expression: object }

type Internals = {
  create: (options: { path: string | undefined; createTableMs: number }) => Store
  validationError: (message: string) => DynamoDBError
  itemSize: (item: object) => number
  createKey: (item: object, table: Table) => string
  traverseIndexes: (table: Table, visit: (name: string, type: string) => string | false) => string | undefined
  getIndexActions: (indexes: object[], before: Item, after: Item, table: Table) => { puts: Change[]; deletes: Change[] }
  updateIndexes: (store: Store, table: Table, before: Item, after: Item, done: Done) => void
}

type Item = Record<string, Record<string, unknown>> | undefined
type Table = { TableName: string; TableStatus?: string; GlobalSecondaryIndexes?: object[] }
type Change = { index: string; key: string; item?: object }

// A patch of dynalite 4.0.0 (no issue known): it writes an item's index entries one by one, and then the item. If
// the process were killed in between, lists would never agree with reads again. So one batch writes them all.
db.updateIndexes = (store, table, before, after, done) => {
  const { TableName, GlobalSecondaryIndexes = [] } = table
  const item = after ?? before
  if (!item) return done()
  const empty = db.traverseIndexes(table, (name, type) => after?.[name]?.[type] === '' && name)
  if (empty) return done(validationError(`${empty} is the key of an index. It must not be empty.`))
  const { puts, deletes } = db.getIndexActions(GlobalSecondaryIndexes, before, after, table)
  const write = (key: string, value?: object): Write => ({ type: value ? 'put' : 'del', key, value })
  const entries = [...deletes, ...puts].map(({ index, key, item }) =>
    write(`index-global~${TableName}~${index}~${key}`, item),
  )
  store.db.batch([...entries, write(storeKey(TableName, db.createKey(item, table)), after)], done)
}

// A patch of dynalite 4.0.0 (no issue known): each level of parentheses makes its parser four times slower, or even more
// if it is not closed. 4 KB, which is DynamoDB's limit, take up to 1.6 s with four levels.
const { validateExpressions } = validations
validations.validateExpressions = (request) => {
  for (const [name, text] of Object.entries(request)) {
    if (name.endsWith('Expression') && typeof text === 'string' && (Buffer.byteLength(text) > 4096 || isTooDeep(text)))
      return `Invalid ${name}: the embedded database allows 4 KB, and 4 levels of closed parentheses.`
  }
  const problem = validateExpressions(request)
  for (const parsed of [request._condition, request._filter])
    if (parsed) parsed.expression = JSON.parse(JSON.stringify(parsed.expression), withComparison)
  return problem
}

/** Whether parentheses are left when four levels of them are removed. */
const isTooDeep = (expression: string): boolean =>
  [1, 2, 3, 4].reduce((rest) => rest.replaceAll(/\([^()]*\)/g, ''), expression).includes('(')

/** In dynalite, `attribute_type` does not find `false` and `''`, but a comparison does. */
const withComparison = (_name: string, node?: { name?: unknown; args: [object, { S: string }] }) =>
  node?.name === 'attribute_type' && /^(S|B|BOOL)$/.test(node.args[1].S)
    ? { type: '>=', args: [node.args[0], { [node.args[1].S]: '' }] }
    : node

// A patch of Level 10.0.0 (no issue known): dynalite ends iterators with `return`, as JavaScript's own are ended,
// but those of Level only have `close`. Without this, every query would stay open and keep its snapshot of the store.
const stores: Pick<Level, 'attachResource'> = Object.getPrototypeOf(Level.prototype) // In-memory stores inherit it too.
const { attachResource } = stores
stores.attachResource = function (resource) {
  attachResource.call(this, Object.assign(resource, { return: () => resource.close() }))
}
