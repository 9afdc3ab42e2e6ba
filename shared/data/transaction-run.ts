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
    if (outcome.status === 'fulfilled' && !this.#isRefusal && this.#pending > 0)
      throw new Error(
        'The function returned while a call with its tx was pending. Await each of them.',
      )
    return outcome
  }

  /**
   * Writes what is queued. A write that changes items also checks all that was read. Otherwise, all
   * reads must be of one moment; then the reservation is written without checks of the items,
   * because those of an item that everybody wants would conflict with each other.
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
   * Whether all that was read was true at one moment, as one item always was. The reservation does
   * not count: it is written on condition that it is as it was read.
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
    const keys = new Map(items.map(({ key }) => [nameOf(key), key]))
    const actions = Array.from(keys, ([name, key]): TransactAction => {
      const expected = this.#found.get(name)?.item?.revision
      return { expected, ...(this.#queued.get(name) ?? { kind: 'check', key }) }
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
      this.#failure.reject(error)
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
