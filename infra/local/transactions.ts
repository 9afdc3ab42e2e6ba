import { createHash } from 'node:crypto'
import {
  type ApiError,
  apiError,
  type Batch,
  type Items,
  type Operation,
  operation,
  operationNames,
  type Request,
  type Store,
  storeKey,
  validationError,
  type Write,
} from './dynalite.ts'

const TOKEN_MS = 10 * 60 * 1000

/**
 * dynalite's operations and DynamoDB's transactions, by name, for one store. A transaction holds its items while it runs:
 * another transaction with one of them is canceled, and a plain write of one is refused. Tokens are kept in memory.
 */
export const createOperations = (): Map<string, Operation> => {
  const held = new Set<string>()
  /** Of the transactions that run, and of those that succeeded in the last ten minutes. */
  const tokens = new Map<string, { digest: string; until: number }>()

  const plainWrite = ({ run, ...operation }: Operation): Operation => ({
    ...operation,
    run: (store, request) =>
      new Promise((resolve, reject) => {
        const lockIn =
          ({ lock }: Items, table: string): Items['lock'] =>
          (key, locked) =>
            held.has(storeKey(table, key)) ? reject(conflict()) : lock(key, locked)
        const guarded = withItems(store, (items, table) => ({ lock: lockIn(items, table) }))
        run(guarded, request).then(resolve, reject)
      }),
  })

  const checkNotHeld = (parts: Part[]): void =>
    cancelFor(parts.map(({ key }) => (held.has(key) ? reasonFor(conflict()) : NONE)))

  const writeAll = async (store: Store, request: Request): Promise<void> => {
    const parts = await startAll(store, writes, request)
    checkNotHeld(parts)
    for (const { key } of parts) held.add(key)
    const releases = await Promise.all(parts.map(({ lock }) => lock()))
    try {
      const results = await resumeAll(store, parts)
      await store.db.batch(results.flatMap(({ writes }) => writes))
    } finally {
      for (const release of releases) release()
      for (const { key } of parts) held.delete(key)
    }
  }

  const transactWriteItems: Operation = {
    ...transaction(writes),
    run: async (store, request) => {
      const { ClientRequestToken: token, TransactItems } = request
      for (const [old, { until }] of tokens) {
        if (until > Date.now()) break
        tokens.delete(old)
      }
      const digest = createHash('sha256').update(JSON.stringify(TransactItems)).digest('base64')
      const known = token && tokens.get(token)
      if (known && known.digest !== digest) throw apiError('IdempotentParameterMismatchException', MISMATCH)
      if (known && known.until === RUNNING) throw apiError('TransactionInProgressException', IN_PROGRESS)
      if (known) return {}
      if (token) tokens.set(token, { digest, until: RUNNING })
      try {
        await writeAll(store, request)
      } finally {
        if (token) tokens.delete(token)
      }
      if (token) tokens.set(token, { digest, until: Date.now() + TOKEN_MS })
      return {}
    },
  }

  const transactGetItems: Operation = {
    ...transaction(reads),
    run: async (store, request) => {
      const parts = await startAll(store, reads, request)
      checkNotHeld(parts)
      const results = await resumeAll(store, parts)
      return { Responses: results.map(({ result }) => result) }
    },
  }

  return new Map([
    ...operationNames.map((name) => [name, operation(name)] as const),
    ...['putItem', 'deleteItem', 'updateItem'].map((name) => [name, plainWrite(operation(name))] as const),
    ['transactWriteItems', transactWriteItems],
    ['transactGetItems', transactGetItems],
  ])
}

const RUNNING = Number.POSITIVE_INFINITY
const IN_PROGRESS = 'The transaction with this token is still running.'
const MISMATCH = 'Another request had this token.'

const deleteItem = operation('deleteItem')
const writes = {
  Put: operation('putItem'),
  Update: operation('updateItem'),
  Delete: deleteItem,
  // A deletion that is not written.
  ConditionCheck: {
    ...deleteItem,
    types: { ...deleteItem.types, ConditionExpression: { type: 'String', notNull: true } },
  },
}
const reads = { Get: operation('getItem') }

type Actions = Record<string, Operation>

/** What dynalite needs to know of the requests of a transaction that has these actions. */
const transaction = (actions: Actions): Omit<Operation, 'run'> => ({
  types: {
    ClientRequestToken: { type: 'String', lengthGreaterThanOrEqual: 1, lengthLessThanOrEqual: 36 },
    TransactItems: {
      type: 'List',
      notNull: true,
      lengthGreaterThanOrEqual: 1,
      lengthLessThanOrEqual: 100,
      children: {
        type: 'ValueStruct<TransactItem>',
        children: Object.fromEntries(
          Object.entries(actions).map(([name, { types }]) => [name, { type: `FieldStruct<${name}>`, children: types }]),
        ),
      },
    },
  },
  custom: ({ TransactItems }, store) => {
    if (TransactItems.some((item) => Object.keys(item).length !== 1)) {
      return `TransactItems can only contain one of ${Object.keys(actions).join(', ')}`
    }
    for (const { operation, request } of actionsIn(actions, TransactItems)) {
      const problem = operation.custom(request, store)
      if (problem) return problem
    }
  },
})

const actionsIn = (actions: Actions, items: Request['TransactItems']) =>
  items.flatMap((item) =>
    Object.entries(actions).flatMap(([name, operation]) => {
      const request = item[name]
      return request ? [{ name, operation, request }] : []
    }),
  )

/** An operation of dynalite that stopped when it was about to read its item. It collects what it writes. */
type Part = {
  key: string
  lock: () => Promise<() => void>
  resume: (item: object | undefined) => Promise<{ result: object; writes: Write[] }>
}

/** Starts the actions of a transaction. Throws if one is invalid, or if two have one item. */
const startAll = async (store: Store, actions: Actions, { TransactItems }: Request): Promise<Part[]> => {
  const parts = await allOrCanceled(actionsIn(actions, TransactItems).map((action) => start(store, action)))
  if (new Set(parts.map(({ key }) => key)).size < parts.length) {
    throw validationError('Transaction request cannot include multiple operations on one item')
  }
  return parts
}

const start = (store: Store, { name, operation, request }: ReturnType<typeof actionsIn>[number]): Promise<Part> =>
  new Promise((resolve, reject) => {
    const writes: Write[] = []
    const batch: Batch = async (batch, done) => {
      if (name !== 'ConditionCheck') writes.push(...batch)
      done?.()
    }
    const db: Store['db'] = Object.assign(Object.create(store.db), { batch })
    const stopping = withItems({ ...store, db }, ({ lock }, table) => ({
      lock: (_key, locked) => locked((done) => done),
      get: (key, done) =>
        resolve({
          key: storeKey(table, key),
          lock: () => new Promise((resolve) => lock(key, (release) => resolve(release(() => {})))),
          resume: (item) => {
            done(null, item)
            return outcome
          },
        }),
    }))
    const outcome = operation.run(stopping, request).then((result) => ({ result, writes }))
    outcome.catch(reject)
  })

/** Reads all items at one moment, and ends the actions with them. */
const resumeAll = async (store: Store, parts: Part[]) => {
  const items = await store.db.getMany(parts.map(({ key }) => key))
  return allOrCanceled(parts.map(({ resume }, i) => resume(items[i])))
}

/** The store, but with some functions of its items replaced. */
const withItems = (store: Store, replace: (items: Items, table: string) => Partial<Items>): Store => ({
  ...store,
  getItemDb: (table) => {
    const items = store.getItemDb(table)
    // The batch that writes the index entries writes the item too.
    const written: Partial<Items> = { put: (_key, _item, done) => done(), del: (_key, done) => done() }
    return { ...items, ...written, ...replace(items, table) }
  },
})

type Reason = { Code: string; Message?: string | undefined }

const NONE: Reason = { Code: 'None' }

const CODES = new Map([
  ['ConditionalCheckFailedException', 'ConditionalCheckFailed'],
  ['TransactionConflictException', 'TransactionConflict'],
  ['ValidationException', 'ValidationError'],
])

const conflict = (): ApiError => apiError('TransactionConflictException', 'Transaction is ongoing for the item')

const reasonFor = (error: Partial<ApiError>): Reason => {
  const Code = CODES.get(error.body?.__type.split('#')[1] ?? '')
  if (!Code) throw error
  return { Code, Message: error.body?.message }
}

const allOrCanceled = async <Value>(promises: Promise<Value>[]): Promise<Value[]> => {
  const results = await Promise.allSettled(promises)
  cancelFor(results.map((result) => (result.status === 'rejected' ? reasonFor(result.reason) : NONE)))
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}

/** Throws a TransactionCanceledException, unless all reasons are `None`. */
const cancelFor = (CancellationReasons: Reason[]): void => {
  if (CancellationReasons.every(({ Code }) => Code === 'None')) return
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ')
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`
  throw apiError('TransactionCanceledException', message, { CancellationReasons })
}
