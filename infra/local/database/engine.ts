import { createHash } from 'node:crypto'
import * as dynalite from './dynalite.ts'
import { type ApiError, apiError, type Batch, type Store, type Write } from './dynalite.ts'

const MAX_ACTIONS = 100
const MAX_SIZE = 4 * 1024 * 1024
const TOKEN_MS = 10 * 60 * 1000

/** Runs an operation. Throws an ApiError if it refuses the request, or for some malformed requests a TypeError. */
export type Engine = (operation: string, request: Transaction) => Promise<object>

type Transaction = { TransactItems?: unknown; ClientRequestToken?: unknown }

/**
 * Creates an engine with dynalite's operations and DynamoDB's transactions. A transaction holds its items while it runs:
 * another transaction with one of them is canceled, and a plain write of one is refused. Its token is written with its items.
 */
export const createEngine = async (store: Store): Promise<Engine> => {
  const held = new Set<string>()
  const stored = await store.db.iterator<string, Token>({ gte: 'token~', lt: 'token\x7F' }).all()
  /** Of the transactions that run, and of those that succeeded in the last ten minutes, oldest first. */
  const tokens = new Map(stored.sort(([, a], [, b]) => a.until - b.until))

  const conflictOf = ({ key }: Part): ApiError | undefined =>
    held.has(key) ? apiError('TransactionConflictException', 'Transaction is ongoing for the item') : undefined

  const write = async (items: unknown, tokenWrites: Write[] = []): Promise<void> => {
    const parts = await startAll(store, WRITES, items)
    cancelIfAny(parts.map(conflictOf))
    for (const { key } of parts) held.add(key)
    try {
      await commit(store, parts, allOrCanceled, tokenWrites)
    } finally {
      for (const { key } of parts) held.delete(key)
    }
  }

  const writeOnce = async (items: unknown, token: string): Promise<void> => {
    const expired: Write[] = []
    for (const [key, { until }] of tokens) {
      if (until > Date.now()) break
      tokens.delete(key)
      expired.push({ type: 'del', key })
    }
    const key = `token~${token}` // dynalite reads keys with other prefixes.
    const digest = createHash('sha256').update(JSON.stringify(items)).digest('base64')
    const known = tokens.get(key)
    if (known && known.digest !== digest) throw apiError('IdempotentParameterMismatchException', MISMATCH)
    if (known?.until === RUNNING) throw apiError('TransactionInProgressException', IN_PROGRESS)
    if (known) return
    tokens.set(key, { digest, until: RUNNING })
    const value = { digest, until: Date.now() + TOKEN_MS }
    // A transaction that was canceled can run again with its token.
    await write(items, [...expired, { type: 'put', key, value }]).finally(() => tokens.delete(key))
    tokens.set(key, value)
  }

  const plainWrite = async ({ parse, run }: dynalite.Operation, body: object): Promise<object> => {
    const part = await start(store, run, parse(store, body))
    const conflict = conflictOf(part)
    if (conflict) throw conflict
    const [result = {}] = await commit(store, [part], (outcomes) => Promise.all(outcomes))
    return result
  }

  return async (name, body) => {
    if (name === 'TransactWriteItems') {
      const { TransactItems: items, ClientRequestToken: token } = body
      await (typeof token === 'string' ? writeOnce(items, token) : write(items))
      return {}
    }
    if (name === 'TransactGetItems') {
      const parts = await startAll(store, READS, body.TransactItems)
      cancelIfAny(parts.map(conflictOf))
      return { Responses: await commit(store, parts, allOrCanceled) }
    }
    const operation = dynalite.operations.get(name)
    if (!operation) throw apiError('UnknownOperationException', `The embedded database has no operation ${name}.`)
    if (/^(Put|Update|Delete)Item$/.test(name)) return plainWrite(operation, body)
    return operation.run(store, operation.parse(store, body))
  }
}

const RUNNING = Number.POSITIVE_INFINITY
const IN_PROGRESS = 'The transaction with this token is still running.'
const MISMATCH = 'Another transaction had this token.'

type Token = { digest: string; until: number }
type Actions = Record<string, dynalite.Operation>

// A check is a deletion with a condition, whose writes are dropped.
const check = dynalite.operation('DeleteItem', { ConditionExpression: { type: 'String', notNull: true } })
const dropWrites = (store: Store): Store => withBatch(store, async (_writes, done) => done?.())
const WRITES: Actions = {
  Put: dynalite.operation('PutItem'),
  Update: dynalite.operation('UpdateItem'),
  Delete: dynalite.operation('DeleteItem'),
  ConditionCheck: { ...check, run: (store, request) => check.run(dropWrites(store), request) },
}
const READS: Actions = { Get: dynalite.operation('GetItem') }

/** Starts the actions of a transaction. Throws if one is not allowed in it. */
const startAll = async (store: Store, actions: Actions, items: unknown): Promise<Part[]> => {
  if (!Array.isArray(items) || items.length < 1 || items.length > MAX_ACTIONS) {
    throw dynalite.validationError(`TransactItems must be a list of 1 to ${MAX_ACTIONS} actions`)
  }
  const parsed = items.map((item) => {
    const [[name, body] = ['', {}], ...others] = Object.entries(item)
    const action = actions[name]
    if (action && others.length === 0) return { run: action.run, request: action.parse(store, body) }
    throw dynalite.validationError(`TransactItems can only contain one of ${Object.keys(actions).join(', ')}`)
  })
  const parts = await allOrCanceled(parsed.map(({ run, request }) => start(store, run, request)))
  if (new Set(parts.map(({ key }) => key)).size === parts.length) return parts
  throw dynalite.validationError('Transaction request cannot include multiple operations on one item')
}

type Outcome = { result: object; writes: Write[] }

/** An operation that has stopped before it reads its item. It collects what it writes. */
type Part = { key: string; lock: () => Promise<() => void>; resume: (item?: object) => Promise<Outcome> }

const start = (store: Store, run: dynalite.Operation['run'], request: object): Promise<Part> =>
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
          key: dynalite.storeKey(table, key),
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

const withBatch = (store: Store, batch: Batch): Store => ({
  ...store,
  db: Object.assign(Object.create(store.db), { batch }),
})

/** Lets parts end while no other write of their items runs, and then writes what they collected, and `more`, at once. */
const commit = async (
  store: Store,
  parts: Part[],
  settle: (outcomes: Promise<Outcome>[]) => Promise<Outcome[]>,
  more: Write[] = [],
): Promise<object[]> => {
  const releases = await Promise.all(parts.map(({ lock }) => lock()))
  try {
    const items = await store.db.getMany(parts.map(({ key }) => key))
    const outcomes = await settle(parts.map(({ resume }, i) => resume(items[i])))
    const writes = [...outcomes.flatMap(({ writes }) => writes), ...more]
    const left = new Map(writes.map(({ key, value }) => [key, value]))
    const size = parts.reduce((sum, { key }, i) => sum + dynalite.itemSize(left.get(key) ?? items[i] ?? {}), 0)
    if (size > MAX_SIZE) throw dynalite.validationError('The items of a transaction can have at most 4 MB together')
    if (writes.length > 0) await store.db.batch(writes)
    return outcomes.map(({ result }) => result)
  } finally {
    for (const release of releases) release()
  }
}

/** Waits for all promises. Throws a TransactionCanceledException with the reasons of those that were rejected. */
const allOrCanceled = async <Value>(promises: Promise<Value>[]): Promise<Value[]> => {
  const results = await Promise.allSettled(promises)
  cancelIfAny(results.map((result) => (result.status === 'rejected' ? result.reason : undefined)))
  return Promise.all(promises)
}

/** Throws a TransactionCanceledException if there is an error. */
const cancelIfAny = (errors: unknown[]): void => {
  if (!errors.some(Boolean)) return
  const CancellationReasons = errors.map(reasonOf)
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ')
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`
  throw apiError('TransactionCanceledException', message, { CancellationReasons })
}

const reasonOf = (error: unknown): { Code: string; Message?: string } => {
  if (!error) return { Code: 'None' }
  const { __type, message } = Object(error).body ?? {}
  const [, code] = /#(ConditionalCheckFailed|TransactionConflict|Validation)Exception$/.exec(__type) ?? []
  if (!code) throw error
  return { Code: code === 'Validation' ? 'ValidationError' : code, Message: message }
}
