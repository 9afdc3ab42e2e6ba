import {
  type Database,
  type Item,
  type Key,
  keyAttribute,
  type TransactAction,
  type Written,
} from './database.ts'
import type { Attributes } from './indexes.ts'
import type { Page, PageQuery } from './list.ts'

/** An item that was read; `undefined`: there was none. */
type Found = { key: Key; item: Item | undefined }

/** What to do with an item when the run commits. */
type Write = { key: Key } & ({ kind: 'put'; item: Item } | { kind: 'delete' })

/** One run of the work of a transaction: what it reads, and what it queues to be written. */
export class TransactionRun {
  /** The revision of all items that this transaction puts. */
  readonly revision: string
  readonly #database: Database
  readonly #reads = new Map<string, Promise<Item | undefined>>()
  readonly #found = new Map<string, Found>()
  readonly #queued = new Map<string, Write>()
  /** Rejects when a call of the database fails. */
  readonly #failure = Promise.withResolvers<never>()
  #pending = 0
  #isRefusal = false
  #hasEnded = false

  constructor(database: Database, revision: string) {
    this.#database = database
    this.revision = revision
  }

  /** Reads an item (strongly consistent), or returns what this run has read or queued of it. */
  async read(key: Key): Promise<Item | undefined> {
    const name = this.#nameOf(key)
    const write = this.#queued.get(name)
    if (write) return write.kind === 'put' ? write.item : undefined
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
    this.#queued.set(this.#nameOf(key), { kind: 'put', key, item })
  }

  /** Deletes an item that was read. Throws an Error for any other. */
  remove(key: Key): void {
    const name = this.#nameOf(key)
    if (!this.#found.has(name)) throw new Error(`${name} must be read before it is removed.`)
    this.#queued.set(name, { kind: 'delete', key })
  }

  /** Marks the run as a refusal: of all that it puts or removes, only a reservation is written. */
  discard(): void {
    this.#isRefusal = true
  }

  /**
   * Runs the work to its end. Throws the error of a call of the database that failed, which ends
   * the work, and an Error if the work returned before all of its calls, unless it refuses.
   */
  async run<T>(work: (tx: TransactionRun) => Promise<T>): Promise<PromiseSettledResult<T>> {
    const settled = Promise.allSettled([work(this)])
    const [outcome] = await Promise.race([settled, this.#failure.promise])
    this.#hasEnded = true
    // A refusal may leave calls pending, such as the others of a `Promise.all`.
    if (outcome.status === 'fulfilled' && !this.#isRefusal && this.#pending > 0)
      throw new Error(
        'The function returned while a call with its tx was pending. Await each of them.',
      )
    return outcome
  }

  /**
   * Writes what is queued. If that changes items, everything that was read must be unchanged. A run
   * that changes none, such as a refusal, must rest on what was true at one moment. Its reservation
   * is then written without checks of the items: checks of one item conflict with each other, so
   * refusals for a pet that everybody wants would fail.
   */
  async commit(): Promise<Written> {
    const queued = [...this.#queued.values()]
    const changesItems = !this.#isRefusal && queued.some((write) => !isReservation(write))
    if (changesItems) return this.#write([...this.#found.values(), ...queued])
    if (!(await this.isOneMoment())) return { kind: 'outdated', keys: [] }
    const reservations = queued.filter(isReservation)
    return reservations.length > 0 ? this.#write(reservations) : { kind: 'written' }
  }

  /**
   * Whether all items that were read were so at the same time. A single one always was.
   * Reservations are left out, because their write checks them.
   */
  async isOneMoment(): Promise<boolean> {
    const found = [...this.#found.values()].filter((each) => !isReservation(each))
    if (found.length < 2) return true
    const items = await this.#database.read(found.map(({ key }) => key))
    return found.every(({ item }, i) => item?.revision === items[i]?.revision)
  }

  /** The names of those keys whose items were not read. */
  unread(keys: Key[]): string[] {
    return keys.map(nameOf).filter((name) => !this.#found.has(name))
  }

  /** Writes or checks each of these items, on condition that it is as it was read. */
  #write(items: { key: Key }[]): Promise<Written> {
    // Once each, although an item may be both read and queued.
    const keys = new Map(items.map(({ key }) => [nameOf(key), key]))
    const actions = Array.from(keys, ([name, key]): TransactAction => {
      const write = this.#queued.get(name) ?? { kind: 'check', key }
      return { ...write, expected: this.#found.get(name)?.item?.revision }
    })
    return this.#database.write(this.revision, actions)
  }

  async #readFirst(key: Key, name: string): Promise<Item | undefined> {
    const [item] = await this.#call(this.#database.read([key]))
    this.#found.set(name, { key, item })
    return item
  }

  /**
   * A call of the database. If it fails, the run ends with its error. The call then never settles,
   * so that the work cannot catch the error and go on.
   */
  async #call<T>(call: Promise<T>): Promise<T> {
    this.#pending++
    try {
      const result = await call
      this.#pending--
      return result
    } catch (error) {
      this.#failure.reject(error) // The run ends, so `#pending` may stay.
      return new Promise(() => {})
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

const isReservation = ({ key }: { key: Key }): boolean => key.table === 'idempotencyKeys'

const nameOf = ({ table, value }: Key): string => `${table} ${value}`
