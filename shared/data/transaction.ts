import { randomUUID } from 'node:crypto'
import { type Database, databaseWith } from './database.ts'
import { withBudget } from './dynamodb.ts'
import { type Items, TransactionRun } from './transaction-run.ts'

/** What the work of a transaction uses. Its functions throw an Error once that has ended. */
export type Transaction = Pick<TransactionRun, 'revision' | 'read' | 'list' | 'put' | 'remove'>

/**
 * Runs `work`, which reads what it needs, decides, and says what to write. All of it is written at
 * once, on condition that nothing that was read has changed since; otherwise `work` runs again.
 * What it returns or throws without a write is true of one moment, too. So `work` must have no
 * other effects, and await each call that gets `tx`. Throws an ApiError 503 if DynamoDB is slow,
 * throttled or unavailable, or if other transactions are faster each time.
 */
export const transaction = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
  withBudget((budget) => runOn(databaseWith(budget), work))

/** Runs a transaction on a database. */
export const runOn = async <T>(
  database: Database,
  work: (tx: Transaction) => Promise<T>,
  newToken: () => string = randomUUID,
): Promise<T> => {
  let snapshot: Items = new Map()
  let occupied: string[] = []
  for (let runs = 1; ; runs++) {
    const token = newToken() // Random, because a revision must never recur.
    const run = new TransactionRun(database, snapshot, token)
    const outcome = await run.outcome(work)
    if (outcome.status === 'rejected' || !run.hasWritten()) {
      const changed = await run.changedItems()
      if (changed) {
        snapshot = changed
        continue
      }
      if (outcome.status === 'rejected') throw outcome.reason
      return outcome.value
    }
    const written = await database.write(token, run.actions())
    if (written.kind === 'written') return outcome.value
    const unread = run.unread(written.keys)
    // Once, it may be a new id that somebody else got, too.
    const twice = unread.find((name) => occupied.includes(name))
    if (twice) throw new Error(`${twice} exists, and was put without being read. Read it first.`)
    occupied = unread
    snapshot = new Map()
    await database.pause(runs)
  }
}
