import { randomUUID } from 'node:crypto'
import { withDeadline } from './dynamodb.ts'
import type { Transaction } from './transaction.ts'
import { TransactionRun } from './transaction-run.ts'
import { DynamoDBStore, type TransactionStore } from './transaction-store.ts'

/**
 * Runs `work` in a transaction, again and again until it commits. A run without writes sees one
 * consistent snapshot, too. So `work` must have no other effects, and await each call with `tx`.
 * Throws an ApiError 503 if DynamoDB is slow, throttled or unavailable, or if other transactions
 * are faster each time.
 */
export const runTransaction = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
  withDeadline((deadline) => runOn(new DynamoDBStore(deadline), work))

/** Runs a transaction on a store, whose calls throw an ApiError 503 after the deadline. */
export const runOn = async <T>(
  store: TransactionStore,
  work: (tx: Transaction) => Promise<T>,
  newRevision: () => string = randomUUID,
): Promise<T> => {
  // Items that the last run created under a random id, without reading them, and that existed.
  let idsInUse: string[] = []
  for (let runs = 1; ; runs++) {
    const run = new TransactionRun(store, newRevision()) // A revision must never recur.
    const outcome = await run.run(work)
    if (outcome.status === 'rejected') {
      // The work may have thrown because it read items at different moments: then it runs again.
      if (await run.isSnapshot()) throw outcome.reason
    } else {
      const written = await run.commit()
      if (written.kind === 'written') return outcome.value
      idsInUse = assertNew(run.notRead(written.keys), idsInUse)
    }
    await store.pause(runs)
  }
}

/** A new id may be in use by chance: the next run draws another one. The same twice is a bug. */
const assertNew = (inUse: string[], before: string[]): string[] => {
  const twice = inUse.find((name) => before.includes(name))
  if (twice) throw new Error(`${twice} exists, and was put without being read. Read it first.`)
  return inUse
}
