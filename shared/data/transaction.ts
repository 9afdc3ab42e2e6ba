import { randomUUID } from 'node:crypto'
import { type Database, databaseWith, type Item, type Key, type TransactAction } from './database.ts'
import { withinBudget } from './dynamodb.ts'

/** What the work of a transaction uses. */
export type Transaction = {
  /** The revision of all items that this transaction puts. */
  readonly revision: string
  /** Reads an item (strongly consistent). One that was read, put or deleted before is as it was left. */
  read: (key: Key) => Promise<Item | undefined>
  /**
   * Reads items at the same moment, so that `read` returns them. What `work` throws, or returns without a write, must
   * follow from one item, or from items that were read together.
   */
  readTogether: (...keys: Key[]) => Promise<void>
  /** Puts an item in place of the one that was read. If it was not read, no item may have the key. */
  put: (key: Key, attributes: object) => void
  /** Deletes an item that was read from the table. Throws an Error for any other. */
  remove: (key: Key) => void
}

/**
 * Runs `work`, which reads what it needs, decides, and says what to write. All of it is written at once, on condition that
 * nothing that was read has changed since. Otherwise `work` runs again, so it must have no other effects. Throws an
 * ApiError 503 if DynamoDB is slow, throttled or unavailable, or if other transactions are faster each time.
 */
export const transaction = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
  withinBudget((options) => runOn(databaseWith(options), work))

/** Runs `work` in the transaction `tx`, or in one of its own. */
export const inside = <T>(tx: Transaction | undefined, work: (tx: Transaction) => Promise<T>): Promise<T> =>
  tx ? work(tx) : transaction(work)

/** Runs a transaction on a database. */
export const runOn = async <T>(
  database: Database,
  work: (tx: Transaction) => Promise<T>,
  newToken: () => string = randomUUID,
): Promise<T> => {
  for (let runs = 1; ; runs++) {
    const token = newToken() // Random, because a revision must never recur.
    const { tx, actions } = begin(token, database.read)
    try {
      const result = await work(tx)
      if (!actions().some((action) => action.write)) return result
      if ((await writeWhenFree(database, token, actions())) === 'written') return result
    } catch (error) {
      if (!(error instanceof ItemHasChanged)) throw error
    }
    await database.pause(runs)
  }
}

/** Writes as soon as no other transaction holds an item. */
const writeWhenFree = async ({ write, pause }: Database, token: string, actions: TransactAction[]) => {
  for (let attempts = 1; ; attempts++) {
    // The same token: with a new one, an earlier call whose response was lost could take effect, too.
    const outcome = await write(token, actions)
    if (outcome !== 'busy') return outcome
    await pause(attempts)
  }
}

/** Ends a run that has read an item twice, and found another revision. */
class ItemHasChanged extends Error {}

/** An item of a run: what was read, and what is to be written. */
type Touched = { key: Key; found?: { item: Item | undefined }; write?: { item: Item | undefined } }

const begin = (revision: string, readItems: Database['read']) => {
  const touched = new Map<string, Touched>()
  const touch = (key: Key): Touched => {
    const name = `${key.table} ${key.value}`
    const item = touched.get(name) ?? { key }
    touched.set(name, item)
    return item
  }
  const tx: Transaction = {
    revision,
    read: async (key) => {
      await tx.readTogether(key)
      const { found, write } = touch(key)
      return (write ?? found)?.item
    },
    readTogether: async (...keys) => {
      const all = [...new Set(keys.map(touch))]
      if (all.every(({ found, write }) => found ?? write)) return
      const items = await readItems(all.map(({ key }) => key))
      for (const [i, each] of all.entries()) {
        const item = items[i]
        if (each.found && each.found.item?.revision !== item?.revision) throw new ItemHasChanged()
        each.found = { item }
      }
    },
    put: (key, attributes) => {
      touch(key).write = { item: { ...attributes, revision } }
    },
    remove: (key) => {
      const item = touch(key)
      if (!item.found) throw new Error(`${key.table} ${key.value} must be read from the table before it is deleted.`)
      item.write = { item: undefined }
    },
  }
  const actions = () =>
    [...touched.values()].map(
      ({ key, found, write }): TransactAction => ({ key, expected: found?.item?.revision, write }),
    )
  return { tx, actions }
}
