import type { Attributes } from './indexes.ts'
import type { Page, PageQuery } from './list.ts'
import type { Item, Key } from './transaction-store.ts'

/**
 * What a function reads and writes: together and once, or not at all. It commits when the function
 * returns, if every item that was read is unchanged; otherwise, the function runs again. From its
 * end on, each of these throws an Error.
 */
export interface Transaction {
  /** The revision of all items that this transaction puts. */
  readonly revision: string

  /** Reads an item (strongly consistent), or what this transaction has put in its place. */
  read(key: Key): Promise<Item | undefined>

  /** Reads a page of a list (eventually consistent). The commit does not depend on it. */
  list(query: PageQuery): Promise<Page<Attributes>>

  /** Puts an item in place of the one that was read; if none was read, there must be none. */
  put(key: Key, attributes: object): void

  /** Deletes an item that was read. Throws an Error for any other. */
  remove(key: Key): void

  /** Drops what was put or removed, for a refusal. Only its idempotency record is written. */
  rollBack(): void
}
