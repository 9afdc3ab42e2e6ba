import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { itemTooLarge } from '../model/api-error.ts'
import { type Database, databaseWith, type Item, type Key, keyAttribute, type TransactAction } from './database.ts'
import { withBudget } from './dynamodb.ts'
import { isTooLarge } from './item-size.ts'
import type { Page, PageQuery } from './page.ts'
import type { Attributes } from './shards.ts'

/** What the work of a transaction uses. All functions throw an Error once the transaction has ended. */
export type Transaction = {
  /** The revision of all items that this transaction puts. */
  readonly revision: string
  /** Reads an item (strongly consistent). One that was read, put or removed before is as it was left. */
  read: (key: Key) => Promise<Item | undefined>
  /** Reads a page of a list (eventually consistent). A commit does not depend on it. */
  list: (query: PageQuery) => Promise<Page<Attributes>>
  /**
   * Puts an item in place of the one that was read. If it was not read, no item may have the key. Throws an ApiError 413 if the
   * item has more than 400 KB.
   */
  put: (key: Key, attributes: object) => void
  /** Deletes an item that was read. Throws an Error for any other. */
  remove: (key: Key) => void
}

/**
 * Runs `work`, which reads what it needs, decides, and says what to write. All of it is written at once, on condition that
 * nothing that was read has changed since; otherwise `work` runs again. What it returns or throws without a write is true of
 * one moment, too. So `work` must have no other effects, and await each call that gets `tx`. Throws an ApiError 503 if
 * DynamoDB is slow, throttled or unavailable, or if other transactions are faster each time.
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
    const run = new Run(database, snapshot, token)
    const outcome = await run.outcomeOf(work)
    if (outcome.kind === 'threw' || !run.hasWritten()) {
      if (run.isOfOneMoment()) return resultOf(outcome)
      snapshot = await run.readTogether()
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

/** Items by the names of their keys; `undefined` where there is none. */
type Items = ReadonlyMap<string, Item | undefined>

type Outcome<T> = { kind: 'returned'; result: T } | { kind: 'threw'; error: unknown }

const resultOf = <T>(outcome: Outcome<T>): T => {
  if (outcome.kind === 'threw') throw outcome.error
  return outcome.result
}

/** DynamoDB takes 100 items in a transaction. One is left for the idempotency key. */
const MOST_ITEMS = 99

/** One run of the work of a transaction. */
class Run implements Transaction {
  readonly revision: string
  readonly #database: Database
  /** Items that an earlier run has read at one moment. */
  readonly #snapshot: Items
  readonly #reads = new Map<string, Promise<Item | undefined>>()
  readonly #found = new Map<string, { key: Key; item: Item | undefined }>()
  readonly #written = new Map<string, { key: Key; item: Item | undefined }>()
  readonly #pending = new Set<Promise<unknown>>()
  readonly #failures: unknown[] = []
  #hasEnded = false

  constructor(database: Database, snapshot: Items, revision: string) {
    this.#database = database
    this.#snapshot = snapshot
    this.revision = revision
  }

  async read(key: Key): Promise<Item | undefined> {
    const name = this.#nameOf(key)
    const written = this.#written.get(name)
    if (written) return written.item
    // A read that is still pending is not repeated, because all decisions must rest on the same revision.
    const read = this.#reads.get(name) ?? this.#readFirst(key, name)
    this.#reads.set(name, read)
    return read
  }

  async list(query: PageQuery): Promise<Page<Attributes>> {
    this.#refuseIfEnded()
    return this.#call(this.#database.list(query))
  }

  put(key: Key, attributes: object): void {
    const item = { ...attributes, ...keyAttribute(key), revision: this.revision }
    if (isTooLarge(item)) throw itemTooLarge()
    this.#written.set(this.#nameOf(key), { key, item })
  }

  remove(key: Key): void {
    const name = this.#nameOf(key)
    if (!this.#found.has(name)) throw new Error(`${name} must be read before it is removed.`)
    this.#written.set(name, { key, item: undefined })
  }

  /**
   * Runs the work to its end. Throws an Error if a call of the database failed, even if the work has caught it, and for
   * mistakes of the work.
   */
  async outcomeOf<T>(work: (tx: Transaction) => Promise<T>): Promise<Outcome<T>> {
    const outcome = await this.#settled(work)
    const wasAwaited = await this.#isQuiet()
    while (!(await this.#isQuiet())) await Promise.allSettled(this.#pending)
    this.#hasEnded = true
    if (this.#failures.length > 0) throw this.#failures[0]
    if (outcome.kind === 'returned' && !wasAwaited)
      throw new Error('The function returned while a call with its tx was pending. Await each of them.')
    const count = this.actions().filter(({ key }) => key.table !== 'idempotencyKeys').length
    if (count > MOST_ITEMS)
      throw new Error(`An operation may use ${MOST_ITEMS} items at most, and this one uses ${count}.`)
    return outcome
  }

  hasWritten(): boolean {
    return this.#written.size > 0
  }

  /** What a write does with all items that were read or written. */
  actions(): TransactAction[] {
    return [...new Map([...this.#found, ...this.#written])].map(([name, { key, item }]): TransactAction => {
      const expected = this.#found.get(name)?.item?.revision
      if (!this.#written.has(name)) return { kind: 'check', key, expected }
      return item ? { kind: 'put', key, expected, item } : { kind: 'delete', key, expected }
    })
  }

  /** The names of those keys whose items were not read. */
  unread(keys: Key[]): string[] {
    return keys.map(nameOf).filter((name) => !this.#found.has(name))
  }

  /** Whether all that was read is of one moment. */
  isOfOneMoment(): boolean {
    return this.#found.size < 2 || [...this.#found.keys()].every((name) => this.#snapshot.has(name))
  }

  /** Reads all items again, at one moment. */
  async readTogether(): Promise<Items> {
    const keys = [...this.#found.values()].map(({ key }) => key)
    const items = await this.#database.read(keys)
    return new Map(keys.map((key, i) => [nameOf(key), items[i]]))
  }

  /** Whether the items are as they were read. */
  hasFound(items: Items): boolean {
    return [...this.#found].every(([name, { item }]) => items.get(name)?.revision === item?.revision)
  }

  async #readFirst(key: Key, name: string): Promise<Item | undefined> {
    const [item] = this.#snapshot.has(name) ? [this.#snapshot.get(name)] : await this.#call(this.#database.read([key]))
    this.#found.set(name, { key, item })
    return item
  }

  async #call<T>(pending: Promise<T>): Promise<T> {
    this.#pending.add(pending)
    try {
      return await pending
    } catch (error) {
      this.#failures.push(error)
      throw error
    } finally {
      this.#pending.delete(pending)
    }
  }

  async #settled<T>(work: (tx: Transaction) => Promise<T>): Promise<Outcome<T>> {
    try {
      return { kind: 'returned', result: await work(this) }
    } catch (error) {
      return { kind: 'threw', error }
    }
  }

  /** Whether no call is pending, once everything has run on that waits for none. */
  async #isQuiet(): Promise<boolean> {
    await nextTurn()
    return this.#pending.size === 0
  }

  #nameOf(key: Key): string {
    this.#refuseIfEnded()
    return nameOf(key)
  }

  #refuseIfEnded(): void {
    if (this.#hasEnded) throw new Error('The transaction has ended. Use tx only in the function that gets it.')
  }
}

const nameOf = ({ table, value }: Key): string => `${table} ${value}`
