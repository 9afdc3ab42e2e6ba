import { randomUUID } from 'node:crypto'
import { type Database, databaseWith } from './database.ts'
import { withBudget } from './dynamodb.ts'
import { TransactionRun } from './transaction-run.ts'

/** What the work of a transaction uses. Its functions throw an Error once that has ended. */
export type Transaction = Pick<
  TransactionRun,
  'revision' | 'read' | 'list' | 'put' | 'remove' | 'discard'
>

/**
 * Runs `work`, which reads what it needs, decides, and queues what to write. Its writes commit
 * together and once, and only if everything it read is unchanged; otherwise `work` runs again. A
 * run without writes sees one consistent snapshot, too. So `work` must have no other effects, and
 * await each call that gets `tx`. Throws an ApiError 503 if DynamoDB is slow, throttled or
 * unavailable, or if other transactions are faster each time.
 */
export const transaction = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
  withBudget((budget) => runOn(databaseWith(budget), work))

/** Runs a transaction on a database, whose calls throw an ApiError 503 when the budget ends. */
export const runOn = async <T>(
  database: Database,
  work: (tx: Transaction) => Promise<T>,
  newRevision: () => string = randomUUID,
): Promise<T> => {
  // What the last run put without reading it, although it exists.
  let taken: string[] = []
  for (let runs = 1; ; runs++) {
    const run = new TransactionRun(database, newRevision()) // A revision must never recur.
    const outcome = await run.run(work)
    if (outcome.status === 'rejected') {
      // An error that rests on what was never true together does not count: the work runs again.
      if (await run.isOneMoment()) throw outcome.reason
    } else {
      const written = await run.commit()
      if (written.kind === 'written') return outcome.value
      const unread = run.unread(written.keys)
      // A new id may be taken by chance: the next run draws another one. The same twice is a bug.
      const twice = unread.find((name) => taken.includes(name))
      if (twice) throw new Error(`${twice} exists, and was put without being read. Read it first.`)
      taken = unread
    }
    await database.pause(runs)
  }
}
