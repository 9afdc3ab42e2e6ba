import { randomBytes } from 'node:crypto'
import { preconditionFailed, serviceUnavailable } from '../model/api-error.ts'
import type { IfMatch } from '../model/etag.ts'
import type { Int64 } from '../model/int64.ts'
import type { Condition } from './dynamodb.ts'

/** The revisions on which a change may be based: one of `tokens`, or none if the item was never changed. */
export type Expected = { tokens: string[]; unchanged: boolean }

/** What an item tells about changes: the token of the last one, or of its deletion. A deleted item has no `shard`. */
type Marks = { shard?: number | undefined; revision?: string | undefined; deletion?: string | undefined }

/** How to change and read one item. Each function is one request to DynamoDB, which the SDK may send several times. */
type ItemStore<Item extends Marks> = {
  /** Changes the item if the condition is true. If it was false, returns how often the request was sent. */
  write: (condition: Condition) => Promise<{ item?: Item | undefined; attempts?: number | undefined }>
  /** Reads the item, also if it was deleted (strongly consistent). */
  read: () => Promise<Item | undefined>
}

/**
 * Generates the token of a change: 128 bits, so that no two requests have the same. Only a late attempt of a change without
 * `If-Match` sets a token again: whoever changes without it may overwrite the changes of others.
 */
export const newToken = (): string => randomBytes(16).toString('hex')

const TOKEN = /^[\da-f]{32}$/

/**
 * What `If-Match` expects of the item with this id; `undefined` if anything will do. An item that was never changed has
 * its id as its revision. Other tags name no revision of the item, and are not sent to DynamoDB.
 */
export const expectedBy = (ifMatch: IfMatch | undefined, id: Int64): Expected | undefined =>
  ifMatch === undefined || ifMatch === '*'
    ? undefined
    : { tokens: ifMatch.filter((tag) => TOKEN.test(tag)), unchanged: ifMatch.includes(`${id}`) }

/**
 * Changes an item, and returns it; `undefined` if there is none. If the condition of the write fails, the item tells why:
 * the SDK resends a write whose response is lost, and then meets its own work.
 *
 * @param token marks the item as changed or deleted by this request
 * @throws ApiError 412 if the item has another revision, and nothing happened; 503 if nobody can tell whether it did
 */
export const changeOnce = async <Item extends Marks>(
  token: string,
  expected: Expected | undefined,
  store: ItemStore<Item>,
): Promise<Item | undefined> => {
  const canMatch = !expected || expected.unchanged || expected.tokens.length > 0
  const { item, attempts } = canMatch ? await store.write(conditionOf(expected)) : { attempts: 1 }
  if (item) return item
  const found = await store.read()
  if (found && [found.revision, found.deletion].includes(token)) return found
  if (!expected || found?.shard === undefined) return undefined
  // An earlier attempt may have taken effect, and another request may have changed the item since.
  if (attempts !== 1) throw serviceUnavailable(new Error('A resent change did not find the revision that it expects.'))
  throw preconditionFailed()
}

const conditionOf = ({ tokens, unchanged }: Expected = { tokens: [], unchanged: false }): Condition => {
  const values = Object.fromEntries(tokens.map((token, i) => [`:expected${i}`, token]))
  const alternatives = [
    ...(tokens.length > 0 ? [`#revision IN (${Object.keys(values).join(', ')})`] : []),
    ...(unchanged ? ['attribute_not_exists(#revision)'] : []),
  ]
  const exists = 'attribute_exists(#shard)' // A deleted item has none.
  if (alternatives.length === 0) return { text: exists, names: { '#shard': 'shard' }, values }
  const names = { '#shard': 'shard', '#revision': 'revision' }
  return { text: `${exists} AND (${alternatives.join(' OR ')})`, names, values }
}
