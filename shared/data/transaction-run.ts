import type { Attributes } from './indexes.ts'
import {
  type Database,
  type Item,
  type Key,
  keyAttribute,
  type TransactAction,
  type Written,
} from './items.ts'
import type { Page, PageQuery } from './list.ts'
import { RunCalls } from './run-calls.ts'
import type { Transaction } from './transaction.ts'

/** An item that was read; `undefined`: there was none. */
type Found = { key: Key; item: Item | undefined }

/** What to do with an item when the run commits. */
type Write = { key: Key } & ({ kind: 'put'; item: Item } | { kind: 'delete' })

/** One run of the work of a transaction: what it has read, and what it has queued to be written. */
export class TransactionRun implements Transaction {
  readonly revision: string
  readonly #database: Database
  readonly #calls = new RunCalls()
  readonly #reads = new Map<string, Promise<Item | undefined>>()
  readonly #found = new Map<string, Found>()
  readonly #queued = new Map<string, Write>()
  /** The names of all items that it reads or writes, but for the idempotency record. */
  readonly #items = new Set<string>()
  #isRolledBack = false

  constructor(database: Database, revision: string) {
    this.#database = database
    this.revision = revision
  }

  async read(key: Key): Promise<Item | undefined> {
    const name = this.#nameOf(key)
    const write = this.#queued.get(name)
    if (write) return write.kind === 'put' ? write.item : undefined
    // Not repeated while it is pending: all decisions must rest on one revision.
    this.#assertRoomFor(key)
    const read = this.#reads.get(name) ?? this.#readFirst(key, name)
    this.#reads.set(name, read)
    return read
  }

  async list(query: PageQuery): Promise<Page<Attributes>> {
    this.#calls.assertOpen()
    return this.#calls.wait(this.#database.list(query))
  }

  put(key: Key, attributes: object): void {
    this.#assertRoomFor(key)
    const item = { ...attributes, ...keyAttribute(key), revision: this.revision }
    this.#queued.set(this.#nameOf(key), { kind: 'put', key, item })
  }

  remove(key: Key): void {
    const name = this.#nameOf(key)
    if (!this.#found.has(name)) throw new Error(`${name} must be read before it is removed.`)
    this.#queued.set(name, { kind: 'delete', key })
  }

  rollBack(): void {
    this.#isRolledBack = true
  }

  /**
   * Runs the work to its end. Throws the error of a call of the database that failed, and an Error
   * if the work returned before all of its calls. A refusal may leave others of a `Promise.all`.
   */
  async run<T>(work: (tx: Transaction) => Promise<T>): Promise<PromiseSettledResult<T>> {
    const outcome = await this.#calls.end(work(this))
    if (outcome.status === 'fulfilled' && !this.#isRolledBack) this.#calls.assertNonePending()
    return outcome
  }

  /**
   * Writes what is queued. If items change, the same write checks that everything that was read is
   * unchanged. If none changes, as after a refusal, all must have been in the database at one
   * moment; then only the idempotency record is written, if there is one. (A write that checks the
   * items, too, would conflict with others: refusals for a pet that everybody wants would fail.)
   */
  async commit(): Promise<Written> {
    const queued = [...this.#queued.values()]
    const changesItems = !this.#isRolledBack && queued.some((write) => !isOfRecord(write))
    if (changesItems) return this.#write([...this.#found.values(), ...queued])
    if (!(await this.isSnapshot())) return { kind: 'stale', keys: [] }
    const records = queued.filter(isOfRecord)
    return records.length > 0 ? this.#write(records) : { kind: 'written' }
  }

  /**
   * Whether the items that were read were in the database together at some moment: it reads all of
   * them again, at one moment. Idempotency records are left out, because their write checks them.
   */
  async isSnapshot(): Promise<boolean> {
    const found = [...this.#found.values()].filter((each) => !isOfRecord(each))
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

  /** Throws an Error if DynamoDB would not commit so many items together. */
  #assertRoomFor(key: Key): void {
    if (isOfRecord({ key })) return
    this.#items.add(nameOf(key))
    if (this.#items.size > MAX_ITEMS)
      throw new Error(
        `An operation reads and writes at most ${MAX_ITEMS} items. Let its clients send several ` +
          'requests, such as one for each page of a list.',
      )
  }

  async #readFirst(key: Key, name: string): Promise<Item | undefined> {
    const [item] = await this.#calls.wait(this.#database.read([key]))
    this.#found.set(name, { key, item })
    return item
  }

  #nameOf(key: Key): string {
    this.#calls.assertOpen()
    return nameOf(key)
  }
}

/** One of the 100 of a DynamoDB transaction is left for the idempotency record. */
const MAX_ITEMS = 99

const isOfRecord = ({ key }: { key: Key }): boolean => key.table === 'idempotencyKeys'

const nameOf = ({ table, value }: Key): string => `${table} ${value}`
