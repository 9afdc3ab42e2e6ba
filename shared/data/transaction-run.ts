import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type Database,
  type Item,
  type Key,
  keyAttribute,
  type TransactAction,
} from './database.ts'
import type { Page, PageQuery } from './page.ts'
import type { Attributes } from './shards.ts'

/** Items by the names of their keys; `undefined` where there is none. */
export type Items = ReadonlyMap<string, Item | undefined>

/** One run of the work of a transaction: what it reads and writes. */
export class TransactionRun {
  /** The revision of all items that this transaction puts. */
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

  /** Reads an item (strongly consistent); one that this transaction has used, as it was left. */
  async read(key: Key): Promise<Item | undefined> {
    const name = this.#nameOf(key)
    const written = this.#written.get(name)
    if (written) return written.item
    // Not repeated while it is pending: all decisions must rest on one revision.
    const read = this.#reads.get(name) ?? this.#readFirst(key, name)
    this.#reads.set(name, read)
    return read
  }

  /** Reads a page of a list (eventually consistent). A commit does not depend on it. */
  async list(query: PageQuery): Promise<Page<Attributes>> {
    this.#refuseIfEnded()
    return this.#call(this.#database.list(query))
  }

  /** Puts an item in place of the one that was read; if none was read, there must be none. */
  put(key: Key, attributes: object): void {
    const item = { ...attributes, ...keyAttribute(key), revision: this.revision }
    this.#written.set(this.#nameOf(key), { key, item })
  }

  /** Deletes an item that was read. Throws an Error for any other. */
  remove(key: Key): void {
    const name = this.#nameOf(key)
    if (!this.#found.has(name)) throw new Error(`${name} must be read before it is removed.`)
    this.#written.set(name, { key, item: undefined })
  }

  /**
   * Runs the work to its end. Throws an Error if a call of the database failed, even if the work
   * has caught it, and for mistakes of the work.
   */
  async outcome<T>(work: (tx: TransactionRun) => Promise<T>): Promise<PromiseSettledResult<T>> {
    const [outcome] = await Promise.allSettled([work(this)])
    await nextTurn() // What was not awaited, and waits for nothing else, ends now.
    const wasAwaited = this.#pending.size === 0
    while (this.#pending.size > 0) {
      await Promise.allSettled(this.#pending)
      await nextTurn()
    }
    this.#hasEnded = true
    if (this.#failures.length > 0) throw this.#failures[0]
    if (outcome.status === 'fulfilled' && !wasAwaited)
      throw new Error(
        'The function returned while a call with its tx was pending. Await each of them.',
      )
    return outcome
  }

  hasWritten(): boolean {
    return this.#written.size > 0
  }

  /** What a write does with all items that were read or written. */
  actions(): TransactAction[] {
    return [...new Map([...this.#found, ...this.#written])].map(
      ([name, { key, item }]): TransactAction => {
        const expected = this.#found.get(name)?.item?.revision
        if (!this.#written.has(name)) return { kind: 'check', key, expected }
        return item ? { kind: 'put', key, expected, item } : { kind: 'delete', key, expected }
      },
    )
  }

  /** The names of those keys whose items were not read. */
  unread(keys: Key[]): string[] {
    return keys.map(nameOf).filter((name) => !this.#found.has(name))
  }

  /**
   * Reads all items again, at one moment; `undefined` if they are as this run has found them, or if
   * it has found them at one moment.
   */
  async changedItems(): Promise<Items | undefined> {
    const names = [...this.#found.keys()]
    if (names.length < 2 || names.every((name) => this.#snapshot.has(name))) return undefined
    const found = [...this.#found.values()]
    const items = await this.#database.read(found.map(({ key }) => key))
    const isSame = found.every(({ item }, i) => item?.revision === items[i]?.revision)
    return isSame ? undefined : new Map(names.map((name, i) => [name, items[i]]))
  }

  async #readFirst(key: Key, name: string): Promise<Item | undefined> {
    const [item] = this.#snapshot.has(name)
      ? [this.#snapshot.get(name)]
      : await this.#call(this.#database.read([key]))
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

  #nameOf(key: Key): string {
    this.#refuseIfEnded()
    return nameOf(key)
  }

  #refuseIfEnded(): void {
    if (this.#hasEnded)
      throw new Error('The transaction has ended. Use tx only in the function that gets it.')
  }
}

const nameOf = ({ table, value }: Key): string => `${table} ${value}`
