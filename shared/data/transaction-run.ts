import type { Attributes } from './indexes.ts'
import type { Page, PageQuery } from './list.ts'
import type { Transaction } from './transaction.ts'
import {
  type Item,
  type Key,
  keyAttribute,
  type TransactAction,
  type TransactionStore,
} from './transaction-store.ts'

/** An item that a run uses. */
type UsedItem = {
  key: Key
  /** Its read, which is not repeated: all decisions must rest on one revision. */
  read?: Promise<Item | undefined>
  wasRead?: boolean
  /** The revision that was read; `undefined`: there was no item. */
  revision?: string | undefined
  write?: { kind: 'put'; item: Item } | { kind: 'delete' }
}

/** One run of the work of a transaction: what it has read, and what it has queued to be written. */
export class TransactionRun implements Transaction {
  readonly revision: string
  readonly #store: TransactionStore
  readonly #items = new Map<string, UsedItem>()
  #isRolledBack = false
  #hasEnded = false
  /** Calls of the store that have not settled. */
  #pending = 0
  /** Rejects when a call of the store fails. */
  readonly #failure = Promise.withResolvers<never>()

  constructor(store: TransactionStore, revision: string) {
    this.#store = store
    this.revision = revision
  }

  read(key: Key): Promise<Item | undefined> {
    const used = this.#use(key)
    const { write } = used
    if (write) return Promise.resolve(write.kind === 'put' ? write.item : undefined)
    used.read ??= this.#track(this.#readFirst(used))
    return used.read
  }

  list(query: PageQuery): Promise<Page<Attributes>> {
    this.#assertOpen()
    return this.#track(this.#store.list(query))
  }

  put(key: Key, attributes: object): void {
    const item = { ...attributes, ...keyAttribute(key), revision: this.revision }
    this.#use(key).write = { kind: 'put', item }
  }

  remove(key: Key): void {
    this.#assertOpen()
    const used = this.#items.get(nameOf(key))
    if (!used?.wasRead) throw new Error(`${nameOf(key)} must be read before it is removed.`)
    used.write = { kind: 'delete' }
  }

  rollBack(): void {
    this.#isRolledBack = true
  }

  /**
   * Runs the work to its end. Throws the error of a call of the store that failed, and an Error if
   * the work returned before all of its calls. A refusal may leave others of a `Promise.all`.
   */
  async run<T>(work: (tx: Transaction) => Promise<T>): Promise<PromiseSettledResult<T>> {
    const settled = Promise.allSettled([work(this)])
    const [outcome] = await Promise.race([settled, this.#failure.promise])
    this.#hasEnded = true
    if (outcome.status === 'fulfilled' && !this.#isRolledBack && this.#pending > 0)
      throw new Error(
        'The function returned while a call with its tx was pending. Await each of them.',
      )
    return outcome
  }

  /**
   * Writes what is queued. If items change, the same write checks that everything that was read is
   * unchanged. If none changes, as after a refusal, all must have been in the database at one
   * moment; then only the idempotency record is written, if there is one. (A write that checks the
   * items, too, would conflict with others: refusals for a pet that everybody wants would fail.)
   * Returns whether that succeeded.
   */
  async commit(): Promise<boolean> {
    const items = [...this.#items.values()]
    const queued = items.filter(({ write }) => write)
    const changesItems = !this.#isRolledBack && queued.some((used) => !isOfRecord(used))
    if (changesItems) return this.#write(items)
    if (!(await this.isSnapshot())) return false
    const records = queued.filter(isOfRecord)
    return records.length === 0 || this.#write(records)
  }

  /**
   * Whether the items that were read were in the database together at some moment. Idempotency
   * records are left out, because their write checks them.
   */
  async isSnapshot(): Promise<boolean> {
    const read = [...this.#items.values()].filter((used) => used.wasRead && !isOfRecord(used))
    if (read.length < 2) return true
    return this.#store.check(read.map(({ key, revision }) => ({ key, expected: revision })))
  }

  /** Writes or checks each of these items, on condition that it is as it was read. */
  #write(items: UsedItem[]): Promise<boolean> {
    const actions = items.map(
      ({ key, revision, write = { kind: 'check' } }): TransactAction => ({
        key,
        expected: revision,
        ...write,
      }),
    )
    return this.#store.write(this.revision, actions)
  }

  #use(key: Key): UsedItem {
    this.#assertOpen()
    const used = this.#items.get(nameOf(key)) ?? { key }
    this.#items.set(nameOf(key), used)
    return used
  }

  async #readFirst(used: UsedItem): Promise<Item | undefined> {
    const item = await this.#store.read(used.key)
    used.wasRead = true
    used.revision = item?.revision
    return item
  }

  /**
   * Waits for a call of the store. If it fails, the run ends with its error, and the work goes no
   * further: it could hide an outage, and an error that it does not await yet ends the process.
   */
  async #track<T>(call: Promise<T>): Promise<T> {
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

  #assertOpen(): void {
    if (this.#hasEnded)
      throw new Error('The transaction has ended. Use tx only in the function that gets it.')
  }
}

const isOfRecord = ({ key }: UsedItem): boolean => key.table === 'idempotencyKeys'

const nameOf = ({ table, value }: Key): string => `${table} ${value}`
