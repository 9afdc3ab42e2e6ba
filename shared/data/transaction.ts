import { randomUUID } from 'node:crypto'
import { type Database, databaseWith, type Item, type Key } from './database.ts'
import { withBudget } from './dynamodb.ts'
import type { Page, PageQuery } from './page.ts'
import type { Attributes } from './shards.ts'
import { type Items, type Outcome, TransactionRun } from './transaction-run.ts'

/** What the work of a transaction uses. Its functions throw an Error once that has ended. */
export type Transaction = {
  /** The revision of all items that this transaction puts. */
  readonly revision: string
  /** Reads an item (strongly consistent); one that this transaction has used, as it was left. */
  read: (key: Key) => Promise<Item | undefined>
  /** Reads a page of a list (eventually consistent). A commit does not depend on it. */
  list: (query: PageQuery) => Promise<Page<Attributes>>
  /**
   * Puts an item in place of the one that was read; if none was read, there must be none. Throws an
   * ApiError 413 for more than 400 KB.
   */
  put: (key: Key, attributes: object) => void
  /** Deletes an item that was read. Throws an Error for any other. */
  remove: (key: Key) => void
}

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
    const outcome = await run.outcomeOf(work)
    if (outcome.kind === 'threw' || !run.hasWritten()) {
      if (run.isOfOneMoment()) return resultOf(outcome)
      snapshot = await run.readAgain()
      if (run.hasFound(snapshot)) return resultOf(outcome)
      continue
    }
    const written = await database.write(token, run.actions())
    if (written.kind === 'written') return outcome.result
    const unread = run.unread(written.keys)
    // Once, it may be a new id that somebody else got, too.
    const twice = unread.find((name) => occupied.includes(name))
    if (twice) throw new Error(`${twice} exists, and was put without being read. Read it first.`)
    occupied = unread
    snapshot = new Map()
    await database.pause(runs)
  }
}

const resultOf = <T>(outcome: Outcome<T>): T => {
  if (outcome.kind === 'threw') throw outcome.error
  return outcome.result
}
