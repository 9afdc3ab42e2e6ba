import { hash, randomUUID } from 'node:crypto'
import { atMost } from '../queue.ts'
import {
  type ApiAction,
  apiAction,
  dynamoDBError,
  isDynamoDBError,
  recordingStore,
  type Store,
  validationError,
  type Write,
} from './dynalite.ts'

const MAX_ACTIONS = 100
const TOKEN_MS = 10 * 60 * 1000

type TransactionBody = { TransactItems?: unknown; ClientRequestToken?: unknown }

/**
 * Creates an engine with dynalite's actions and DynamoDB's transactions: it returns the response to
 * an action and its JSON. Writes take turns, so they never conflict: each is rehearsed, and then
 * written with one batch, all or nothing.
 */
export const createEngine = async (store: Store) => {
  const tokens = await storedTokens(store)
  const inTurn = atMost(1)
  const run = async (name: string, body: TransactionBody): Promise<object> => {
    if (name === 'TransactWriteItems') return inTurn(() => writeTransaction(store, tokens, body))
    if (name === 'TransactGetItems') return inTurn(() => readTransaction(store, body))
    const write = writes.get(name)
    if (write) return inTurn(() => writeAlone(store, write, body))
    const other = otherActions.get(name)
    if (other) return other.run(store, other.parse(store, body))
    const message = `The embedded database has no operation ${name}.`
    throw dynamoDBError('UnknownOperationException', message)
  }
  return async (name: string, sent: string): Promise<{ statusCode: number; body: object }> => {
    try {
      return { statusCode: 200, body: await run(name, JSON.parse(sent)) }
    } catch (error) {
      return errorResponse(error)
    }
  }
}

const errorResponse = (error: unknown) => {
  if (isDynamoDBError(error)) return error
  // dynalite throws errors for some malformed requests. Errors of the disk end the process.
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'LEVEL_IO_ERROR' || code === 'LEVEL_CORRUPTION') throw error
  return dynamoDBError('SerializationException', `${error}`)
}

const apiActions = (names: string) =>
  new Map(names.split(' ').map((name) => [name, apiAction(name)]))

const writes = apiActions('PutItem UpdateItem DeleteItem BatchWriteItem')

// dynalite's `UpdateTable` adds no indexes, and its tags do nothing.
const otherActions = apiActions(
  'CreateTable DeleteTable DescribeTable ListTables Query Scan GetItem BatchGetItem',
)

const writeAlone = async (store: Store, action: ApiAction, body: object): Promise<object> => {
  const recording = recordingStore(store)
  const result = await action.run(recording.store, action.parse(store, body))
  await store.db.batch(recording.writes)
  return result
}

const writeTransaction = async (
  store: Store,
  tokens: Tokens,
  body: TransactionBody,
): Promise<object> => {
  const { TransactItems, ClientRequestToken = randomUUID() } = body
  const expired = forgetExpired(tokens)
  const key = `token~${ClientRequestToken}` // dynalite reads keys with other prefixes.
  const digest = hash('sha256', `${JSON.stringify(TransactItems)}`, 'base64')
  const known = tokens.get(key)
  if (known?.digest === digest) return {}
  const mismatch = 'IdempotentParameterMismatchException'
  if (known) throw dynamoDBError(mismatch, 'Another transaction had this token.')
  const { writes } = await rehearseTransaction(store, writesOfTransactions, TransactItems)
  const token = { digest, until: Date.now() + TOKEN_MS }
  // With its token: the transaction must not run again after this process is killed.
  await store.db.batch([...writes, ...expired, { type: 'put', key, value: token }])
  tokens.set(key, token)
  return {}
}

const readTransaction = async (store: Store, { TransactItems }: TransactionBody) => {
  const { results } = await rehearseTransaction(store, readsOfTransactions, TransactItems)
  return { Responses: results }
}

/** The tokens of the last ten minutes, oldest first, by their keys in the store. */
type Tokens = Map<string, Token>
type Token = { digest: string; until: number }

const storedTokens = async (store: Store): Promise<Tokens> => {
  const stored = await store.db.iterator<string, Token>({ gte: 'token~', lt: 'token\x7F' }).all()
  return new Map(stored.sort(([, a], [, b]) => a.until - b.until))
}

/** Removes the expired tokens from the map. Returns what removes them from the store, too. */
const forgetExpired = (tokens: Tokens): Write[] => {
  const expired: Write[] = []
  for (const [key, { until }] of tokens) {
    if (until > Date.now()) break
    tokens.delete(key)
    expired.push({ type: 'del', key })
  }
  return expired
}

type Allowed = Record<string, ApiAction>

// A check is a deletion with a condition, whose writes are dropped.
const conditionCheck = apiAction('DeleteItem')
const writesOfTransactions: Allowed = {
  Put: apiAction('PutItem'),
  Update: apiAction('UpdateItem'),
  Delete: apiAction('DeleteItem'),
  ConditionCheck: {
    ...conditionCheck,
    run: (store, request) => conditionCheck.run(recordingStore(store).store, request),
  },
}
const readsOfTransactions: Allowed = { Get: apiAction('GetItem') }

/** Runs the actions of a transaction, without writing. Throws a DynamoDBError if one fails. */
const rehearseTransaction = async (store: Store, allowed: Allowed, items: unknown) => {
  if (!Array.isArray(items) || items.length < 1 || items.length > MAX_ACTIONS)
    throw validationError(`TransactItems must be a list of 1 to ${MAX_ACTIONS} actions`)
  const actions = items.map((item) => parseAction(store, allowed, item))
  const { store: recording, reads, writes } = recordingStore(store)
  const outcomes = await Promise.allSettled(
    actions.map(({ run, request }) => run(recording, request)),
  )
  if (new Set(reads).size < reads.length)
    throw validationError('Transaction request cannot include multiple operations on one item')
  const results: object[] = []
  const errors: unknown[] = []
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') results.push(outcome.value)
    errors.push(outcome.status === 'rejected' ? outcome.reason : undefined)
  }
  if (results.length < outcomes.length) throw cancellation(errors)
  return { results, writes }
}

/** Checks an action of a transaction, such as `{ Put: … }`. */
const parseAction = (store: Store, allowed: Allowed, item: object) => {
  const [[name, body] = ['', {}], ...others] = Object.entries(item)
  const action = allowed[name]
  const names = Object.keys(allowed).join(', ')
  if (!action || others.length > 0)
    throw validationError(`TransactItems can only contain one of ${names}`)
  return { run: action.run, request: action.parse(store, body) }
}

/** The error of a transaction, with the reason of each action, in their order. */
const cancellation = (errors: unknown[]): Error => {
  const CancellationReasons = errors.map(cancellationReason)
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ')
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`
  return dynamoDBError('TransactionCanceledException', message, { CancellationReasons })
}

/** Throws an error that DynamoDB returns as it is. */
const cancellationReason = (error: unknown): { Code: string; Message?: string | undefined } => {
  if (!error) return { Code: 'None' }
  if (!isDynamoDBError(error)) throw error
  const { __type, message: Message } = error.body
  if (__type.endsWith('#ConditionalCheckFailedException'))
    return { Code: 'ConditionalCheckFailed', Message }
  if (__type.endsWith('#ValidationException')) return { Code: 'ValidationError', Message }
  throw error
}
