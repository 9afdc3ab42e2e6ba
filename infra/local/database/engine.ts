import { createHash } from 'node:crypto'
import type { ApiAction, DynamoDBError, Outcome, Store, Suspended, Write } from './dynalite.ts'
import * as dynalite from './dynalite.ts'

const MAX_ACTIONS = 100
const MAX_SIZE = 4 * 1024 * 1024
const TOKEN_MS = 10 * 60 * 1000

/** Carries out an action. Throws a DynamoDBError if it refuses the request, or for some malformed requests a TypeError. */
export type Engine = (action: string, request: Transaction) => Promise<object>

type Transaction = { TransactItems?: unknown; ClientRequestToken?: unknown }

/**
 * Creates an engine with dynalite's actions and DynamoDB's transactions. A transaction holds its items while it runs: another
 * transaction with one of them is canceled, and a plain write of one is refused; a BatchWriteItem only waits. Its token is
 * written with its items.
 */
export const createEngine = async (store: Store): Promise<Engine> => {
  const held = new Set<string>()
  const stored = await store.db.iterator<string, Token>({ gte: 'token~', lt: 'token\x7F' }).all()
  /** Of the transactions that run, and of those that succeeded in the last ten minutes, oldest first. */
  const tokens = new Map(stored.sort(([, a], [, b]) => a.until - b.until))

  const conflictOf = ({ key }: Suspended): DynamoDBError | undefined =>
    held.has(key)
      ? dynalite.dynamoDBError('TransactionConflictException', 'Transaction is ongoing for the item')
      : undefined

  const write = async (items: unknown, tokenWrites: Write[] = []): Promise<void> => {
    const actions = await suspendAll(store, WRITES, items)
    cancelIfAny(actions.map(conflictOf))
    for (const { key } of actions) held.add(key)
    try {
      await commit(store, actions, allOrCanceled, tokenWrites)
    } finally {
      for (const { key } of actions) held.delete(key)
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
    if (known && known.digest !== digest) throw dynalite.dynamoDBError('IdempotentParameterMismatchException', MISMATCH)
    if (known?.until === RUNNING) throw dynalite.dynamoDBError('TransactionInProgressException', IN_PROGRESS)
    if (known) return
    tokens.set(key, { digest, until: RUNNING })
    const value = { digest, until: Date.now() + TOKEN_MS }
    // A transaction that was canceled can run again with its token.
    await write(items, [...expired, { type: 'put', key, value }]).finally(() => tokens.delete(key))
    tokens.set(key, value)
  }

  const plainWrite = async ({ parse, run }: ApiAction, body: object): Promise<object> => {
    const action = await dynalite.suspend(store, run, parse(store, body))
    const conflict = conflictOf(action)
    if (conflict) throw conflict
    const [result = {}] = await commit(store, [action], (outcomes) => Promise.all(outcomes))
    return result
  }

  return async (name, body) => {
    if (name === 'TransactWriteItems') {
      const { TransactItems: items, ClientRequestToken: token } = body
      await (typeof token === 'string' ? writeOnce(items, token) : write(items))
      return {}
    }
    if (name === 'TransactGetItems') {
      const actions = await suspendAll(store, READS, body.TransactItems)
      cancelIfAny(actions.map(conflictOf))
      return { Responses: await commit(store, actions, allOrCanceled) }
    }
    const action = dynalite.apiActions.get(name)
    if (!action)
      throw dynalite.dynamoDBError('UnknownOperationException', `The embedded database has no operation ${name}.`)
    if (/^(Put|Update|Delete)Item$/.test(name)) return plainWrite(action, body)
    return action.run(store, action.parse(store, body))
  }
}

const RUNNING = Number.POSITIVE_INFINITY
const IN_PROGRESS = 'The transaction with this token is still running.'
const MISMATCH = 'Another transaction had this token.'

type Token = { digest: string; until: number }
type Allowed = Record<string, ApiAction>

// A check is a deletion with a condition, whose writes are dropped.
const check = dynalite.apiAction('DeleteItem', { ConditionExpression: { type: 'String', notNull: true } })
const dropWrites = (store: Store): Store => dynalite.withBatch(store, async (_writes, done) => done?.())
const WRITES: Allowed = {
  Put: dynalite.apiAction('PutItem'),
  Update: dynalite.apiAction('UpdateItem'),
  Delete: dynalite.apiAction('DeleteItem'),
  ConditionCheck: { ...check, run: (store, request) => check.run(dropWrites(store), request) },
}
const READS: Allowed = { Get: dynalite.apiAction('GetItem') }

/** Suspends the actions of a transaction. Throws if one is not allowed in it. */
const suspendAll = async (store: Store, allowed: Allowed, items: unknown): Promise<Suspended[]> => {
  if (!Array.isArray(items) || items.length < 1 || items.length > MAX_ACTIONS)
    throw dynalite.validationError(`TransactItems must be a list of 1 to ${MAX_ACTIONS} actions`)
  const parsed = items.map((item) => {
    const [[name, body] = ['', {}], ...others] = Object.entries(item)
    const action = allowed[name]
    if (action && others.length === 0) return { run: action.run, request: action.parse(store, body) }
    throw dynalite.validationError(`TransactItems can only contain one of ${Object.keys(allowed).join(', ')}`)
  })
  const actions = await allOrCanceled(parsed.map(({ run, request }) => dynalite.suspend(store, run, request)))
  if (new Set(actions.map(({ key }) => key)).size === actions.length) return actions
  throw dynalite.validationError('Transaction request cannot include multiple operations on one item')
}

/** Resumes actions while no other write of their items runs, and then writes what they collected, and `more`, at once. */
const commit = async (
  store: Store,
  actions: Suspended[],
  settle: (outcomes: Promise<Outcome>[]) => Promise<Outcome[]>,
  more: Write[] = [],
): Promise<object[]> => {
  const releases = await Promise.all(actions.map(({ lock }) => lock()))
  try {
    const items = await store.db.getMany(actions.map(({ key }) => key))
    const outcomes = await settle(actions.map(({ resume }, i) => resume(items[i])))
    const writes = [...outcomes.flatMap(({ writes }) => writes), ...more]
    const left = new Map(writes.map(({ key, value }) => [key, value]))
    const size = actions.reduce((sum, { key }, i) => sum + dynalite.itemSize(left.get(key) ?? items[i] ?? {}), 0)
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
  throw dynalite.dynamoDBError('TransactionCanceledException', message, { CancellationReasons })
}

const reasonOf = (error: unknown): { Code: string; Message?: string | undefined } => {
  if (!error) return { Code: 'None' }
  if (!dynalite.isDynamoDBError(error)) throw error
  const { __type, message } = error.body
  const [, code] = /#(ConditionalCheckFailed|TransactionConflict|Validation)Exception$/.exec(__type) ?? []
  if (!code) throw error
  return { Code: code === 'Validation' ? 'ValidationError' : code, Message: message }
}
