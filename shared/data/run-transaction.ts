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
  for (let runs = 1; ; runs++) {
    const run = new TransactionRun(store, newRevision()) // A revision must never recur.
    const outcome = await run.run(work)
    // The work may have thrown because it read items at different moments: then it runs again.
    if (outcome.status === 'rejected' && (await run.isSnapshot())) throw outcome.reason
    // A new id may be in use by chance: the next run draws another one.
    if (outcome.status === 'fulfilled' && (await run.commit())) return outcome.value
    await store.pause(runs)
  }
}
