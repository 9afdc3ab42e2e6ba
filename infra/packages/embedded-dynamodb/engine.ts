import { hash, randomUUID } from 'node:crypto'
import {
  type ApiAction,
  apiAction,
  dynamoDBError,
  isDynamoDBError,
  isFailedCondition,
  Rehearsal,
  type Store,
  validationError,
} from './dynalite.ts'

const MAX_ACTIONS = 100
const TOKEN_MS = 10 * 60 * 1000

type TransactionBody = { TransactItems?: unknown; ClientRequestToken?: unknown }

/** Returns the response to an action and its JSON. Throws errors of the disk. */
export type Engine = (name: string, sent: string) => Promise<{ statusCode: number; body: object }>

/**
 * Creates an engine with dynalite's actions and DynamoDB's transactions. Writes take turns, so they
 * never conflict: each is rehearsed, and then performed with one batch, all or nothing.
 */
export const createEngine = (store: Store): Engine => {
  const inTurn = createTurns()
  const run = async (name: string, body: TransactionBody): Promise<object> => {
    if (name === 'TransactWriteItems') return inTurn(() => writeTransaction(store, body))
    if (name === 'TransactGetItems') return inTurn(() => readTransaction(store, body))
    const write = writeActions.get(name)
    if (write) return inTurn(() => writeAlone(store, write, body))
    if (name === 'CreateTable' && 'LocalSecondaryIndexes' in body)
      throw validationError(
        'The embedded database has no local secondary indexes. Use a global one.',
      )
    const other = readActions.get(name) ?? definitionActions.get(name)
    if (other) return other.run(store, other.parse(store, body))
    const message = `The embedded database has no operation ${name}.`
    throw dynamoDBError('UnknownOperationException', message)
  }
  return async (name, sent) => {
    try {
      return { statusCode: 200, body: await run(name, JSON.parse(sent)) }
    } catch (error) {
      return dynamoDBErrorResponse(error)
    }
  }
}

/** Returns a function that runs tasks one after the other. */
const createTurns = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(task: () => Promise<T>): Promise<T> => {
    const result = last.then(task)
    last = result.catch(() => undefined)
    return result
  }
}

const dynamoDBErrorResponse = (error: unknown) => {
  if (isDynamoDBError(error)) return error
  // dynalite throws errors for some malformed requests.
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'LEVEL_IO_ERROR' || code === 'LEVEL_CORRUPTION') throw error
  return dynamoDBError('SerializationException', `${error}`)
}

const apiActions = (...names: string[]) => new Map(names.map((name) => [name, apiAction(name)]))

const writeActions = apiActions('PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem')

// dynalite's `UpdateTable` adds no indexes, and its tags do nothing.
const definitionActions = apiActions('CreateTable', 'DeleteTable', 'DescribeTable', 'ListTables')
const readActions = apiActions('Query', 'Scan', 'GetItem', 'BatchGetItem')

const writeAlone = async (store: Store, action: ApiAction, body: object): Promise<object> => {
  const rehearsal = new Rehearsal(store)
  const result = await rehearsal.run(action, action.parse(store, body))
  await rehearsal.perform()
  return result
}

const writeTransaction = async (store: Store, body: TransactionBody): Promise<object> => {
  const { TransactItems, ClientRequestToken = randomUUID() } = body
  const key = `token~${ClientRequestToken}` // dynalite reads keys with other prefixes.
  const digest = hash('sha256', `${JSON.stringify(TransactItems)}`, 'base64')
  const known: Partial<Token> = (await store.db.get(key)) ?? {}
  if (known.until && known.until > Date.now()) {
    if (known.digest === digest) return {}
    const mismatch = 'IdempotentParameterMismatchException'
    throw dynamoDBError(mismatch, 'Another transaction had this token.')
  }
  const rehearsal = new Rehearsal(store)
  await rehearseAll(rehearsal, parseActions(store, writesOfTransactions, TransactItems))
  const token: Token = { digest, until: Date.now() + TOKEN_MS }
  // With its token: the transaction must not run again after this process is killed.
  await rehearsal.perform({ type: 'put', key, value: token })
  return {}
}

/** What is stored of a token. It is small, so expired ones are kept. */
type Token = { digest: string; until: number }

const readTransaction = async (store: Store, { TransactItems }: TransactionBody) => {
  const actions = parseActions(store, readsOfTransactions, TransactItems)
  return { Responses: await rehearseAll(new Rehearsal(store), actions) }
}

type Allowed = Record<string, ApiAction>

// A check is a deletion with a condition, whose writes are never performed.
const conditionCheck = apiAction('DeleteItem')
const writesOfTransactions: Allowed = {
  Put: apiAction('PutItem'),
  Update: apiAction('UpdateItem'),
  Delete: apiAction('DeleteItem'),
  ConditionCheck: {
    ...conditionCheck,
    run: (store, request) => new Rehearsal(store).run(conditionCheck, request),
  },
}
const readsOfTransactions: Allowed = { Get: apiAction('GetItem') }

type ParsedAction = { action: ApiAction; request: object }

/** Checks the actions of a transaction, such as `[{ Put: … }]`. */
const parseActions = (store: Store, allowed: Allowed, items: unknown): ParsedAction[] => {
  if (!Array.isArray(items) || items.length === 0)
    throw validationError(`${wrongLength('[]')} greater than or equal to 1`)
  if (items.length > MAX_ACTIONS)
    throw validationError(`${wrongLength('[…]')} less than or equal to ${MAX_ACTIONS}`)
  const names = Object.keys(allowed).join(', ')
  return items.map((item: object) => {
    const [[name, body] = ['', {}], ...others] = Object.entries(item)
    const action = allowed[name]
    if (!action || others.length > 0)
      throw validationError(`TransactItems can only contain one of ${names}`)
    return { action, request: action.parse(store, body) }
  })
}

const wrongLength = (value: string): string =>
  `1 validation error detected: Value '${value}' at 'transactItems' failed to satisfy ` +
  'constraint: Member must have length'

/** Returns the result of each action. Throws a DynamoDBError if one fails. */
const rehearseAll = async (rehearsal: Rehearsal, actions: ParsedAction[]): Promise<object[]> => {
  const outcomes = await Promise.allSettled(
    actions.map(({ action, request }) => rehearsal.run(action, request)),
  )
  // Each action reads its item once, so an item that was read twice has two actions.
  if (new Set(rehearsal.reads).size < rehearsal.reads.length)
    throw validationError('Transaction request cannot include multiple operations on one item')
  const errors = outcomes.map((each) => (each.status === 'rejected' ? each.reason : undefined))
  if (errors.some((error) => error)) throw cancellation(errors)
  return outcomes.map((each) => (each.status === 'fulfilled' ? each.value : {}))
}

const CANCELED = 'Transaction cancelled, please refer cancellation reasons for specific reasons'

/** The error of a transaction, with the reason of each action, in their order. */
const cancellation = (errors: unknown[]): Error => {
  const CancellationReasons = errors.map(cancellationReason)
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ')
  const message = `${CANCELED} [${codes}]`
  return dynamoDBError('TransactionCanceledException', message, { CancellationReasons })
}

type CancellationReason = {
  Code: string
  Message?: string | undefined
  Item?: object | undefined
}

/** Throws an error that DynamoDB returns as it is. */
const cancellationReason = (error: unknown): CancellationReason => {
  if (!error) return { Code: 'None' }
  if (!isDynamoDBError(error)) throw error
  const { __type, message: Message, Item } = error.body
  if (isFailedCondition(error)) return { Code: 'ConditionalCheckFailed', Message, Item }
  if (__type.endsWith('#ValidationException')) return { Code: 'ValidationError', Message }
  throw error
}
