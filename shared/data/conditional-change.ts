import { randomBytes } from 'node:crypto'
import { preconditionFailed, serviceUnavailable } from '../model/api-error.ts'
import type { IfMatch } from '../model/etag.ts'
import type { Int64 } from '../model/int64.ts'
import type { Condition } from './dynamodb.ts'

/**
 * The token of the last change of an item, and the number of its changes. An item that was never changed has neither; one
 * that only earlier versions changed has no number.
 */
export type Revision = { revision?: string | undefined; changes?: number | undefined }

/** What an item tells about changes: its revision, or the token of its deletion. A deleted item has no `shard`. */
type Marks = Revision & { shard?: number | undefined; deletion?: string | undefined }

/** How to change and read one item. Each function is one request to DynamoDB, which the SDK may send several times. */
type ChangeStore<Item extends Marks> = {
  /** Changes the item if the condition is true. If it was false, returns how often the request was sent. */
  write: (condition: Condition) => Promise<{ item?: Item | undefined; attempts?: number | undefined }>
  /** Reads the item, also if it was deleted (strongly consistent). */
  read: () => Promise<Item | undefined>
}

/** Generates the token of a change: 128 bits, so that no two requests have the same. */
export const newToken = (): string => randomBytes(16).toString('hex')

/**
 * The tag of a revision of the item with this id. It never recurs: a late attempt of a change without `If-Match` sets its
 * token again, but counts as one more change.
 */
export const tagOf = (id: Int64, { revision, changes }: Revision): string =>
  [revision ?? id, changes].filter((part) => part !== undefined).join('-')

const TAG = /^([\da-f]{32})(?:-([1-9]\d{0,14}))?$/

/**
 * The revisions of the item with this id that `If-Match` names; `undefined` if any will do. Other tags name no revision of
 * the item, and are not sent to DynamoDB.
 */
export const expectedBy = (ifMatch: IfMatch | undefined, id: Int64): Revision[] | undefined =>
  ifMatch === undefined || ifMatch === '*' ? undefined : ifMatch.flatMap((tag) => revisionsOf(tag, id))

const revisionsOf = (tag: string, id: Int64): Revision[] => {
  if (tag === tagOf(id, {})) return [{}]
  const [, revision, changes] = TAG.exec(tag) ?? []
  return revision ? [{ revision, changes: changes === undefined ? undefined : Number(changes) }] : []
}

/**
 * Changes an item, and returns it; `undefined` if there is none. `token` marks it as changed or deleted by this request.
 * The SDK resends a write whose response is lost: if the first attempt took effect, the condition of the second fails,
 * and the item has the token. Throws an ApiError 412 if the item has another revision: then nothing has happened. Throws
 * a 503 if nobody can tell whether it has.
 */
export const changeOnce = async <Item extends Marks>(
  token: string,
  expected: Revision[] | undefined,
  store: ChangeStore<Item>,
): Promise<Item | undefined> => {
  const canMatch = expected?.length !== 0
  // What is not sent cannot have taken effect, just as what is sent once and refused.
  const { item, attempts } = canMatch ? await store.write(conditionOf(expected)) : { attempts: 1 }
  if (item) return item
  const found = await store.read()
  if (found && [found.revision, found.deletion].includes(token)) return found
  if (!expected || found?.shard === undefined) return undefined
  // An earlier attempt may have taken effect, and another request may have changed the item since.
  if (attempts !== 1) throw serviceUnavailable(new Error('A resent change did not find the revision that it expects.'))
  throw preconditionFailed()
}

const conditionOf = (expected: Revision[] = []): Condition => {
  const exists = 'attribute_exists(#shard)' // A deleted item has none.
  const alternatives = expected.map(
    ({ revision, changes }, i) => `${equals('revision', revision, i)} AND ${equals('changes', changes, i)}`,
  )
  const values = expected.flatMap(({ revision, changes }, i) => [
    [`:revision${i}`, revision],
    [`:changes${i}`, changes],
  ])
  return {
    text: alternatives.length > 0 ? `${exists} AND (${alternatives.join(' OR ')})` : exists,
    names: { '#shard': 'shard', ...(alternatives.length > 0 && { '#revision': 'revision', '#changes': 'changes' }) },
    values: Object.fromEntries(values.filter(([, value]) => value !== undefined)),
  }
}

/** The condition that an attribute has this value; without a value, that it does not exist. */
const equals = (name: keyof Revision, value: string | number | undefined, i: number): string =>
  value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}${i}`
