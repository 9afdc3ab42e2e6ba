import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Attributes } from '../../shared/data/indexes.ts'
import type { Page, PageQuery } from '../../shared/data/list.ts'
import type { Transaction } from '../../shared/data/transaction.ts'
import type { Item, Key } from '../../shared/data/transaction-store.ts'
import { nameOf } from './database-model.ts'

/** The turns of the event loop in which calls settle, one after the other. */
export class Turns {
  readonly #waiting: (() => void)[] = []

  /** Waits for a later turn. */
  later(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push(resolve))
  }

  /** Lets everything run on that waits for nothing but a turn. */
  async untilQuiet(): Promise<void> {
    for (;;) {
      await nextTurn()
      const settle = this.#waiting.shift()
      if (!settle) return
      settle()
    }
  }
}

/** What a run of a request tells of itself. */
export type Observer = {
  /** It puts an item that it did not find. */
  created: (key: Key) => void
  /** A call was made after the end of the function. */
  late: (error: Error) => void
}

/**
 * A transaction of which each call settles in a later turn of the event loop, also a read that
 * needs no call of the database. So a function that forgets an `await` ends before what it started.
 */
export class LaterTransaction implements Transaction {
  readonly revision: string
  readonly #tx: Transaction
  readonly #turns: Turns
  readonly #observer: Observer
  readonly #found = new Set<string>()
  #isRefused = false
  #hasEnded = false

  constructor(tx: Transaction, turns: Turns, observer: Observer) {
    this.revision = tx.revision
    this.#tx = tx
    this.#turns = turns
    this.#observer = observer
  }

  async read(key: Key): Promise<Item | undefined> {
    const item = await this.#later('read', () => this.#tx.read(key))
    if (item) this.#found.add(nameOf(key))
    return item
  }

  list(query: PageQuery): Promise<Page<Attributes>> {
    return this.#later('list', () => this.#tx.list(query))
  }

  put(key: Key, attributes: object): void {
    if (this.#isLate('put')) return
    if (!this.#found.has(nameOf(key))) this.#observer.created(key)
    this.#tx.put(key, attributes)
  }

  remove(key: Key): void {
    if (!this.#isLate('remove')) this.#tx.remove(key)
  }

  rollBack(): void {
    this.#isRefused = true
    this.#tx.rollBack()
  }

  /** Runs a function, whose calls end with it. */
  async run<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await work(this)
    } catch (error) {
      this.#isRefused = true
      throw error
    } finally {
      this.#hasEnded = true
    }
  }

  async #later<T>(name: string, call: () => Promise<T>): Promise<T> {
    if (this.#isLate(name)) return new Promise(() => {})
    const result = await call()
    await this.#turns.later()
    return result
  }

  /** A refusal may leave calls of a `Promise.all`. Nothing comes of them. */
  #isLate(name: string): boolean {
    if (this.#hasEnded && !this.#isRefused) this.#observer.late(lateCall(name))
    return this.#hasEnded
  }
}

const lateCall = (name: string) =>
  new Error(`The function called tx.${name} after its end. Await each call that gets tx.`)
