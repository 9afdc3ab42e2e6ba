import { randomUUID } from 'node:crypto'
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { etagOf, type IfMatch, type Tagged } from '../model/etag.ts'
import { newId } from '../model/id.ts'
import { fingerprintOf, type Intent, intentDigest } from '../model/idempotency-key.ts'
import type { Int64 } from '../model/int64.ts'
import { setting, settings } from '../settings.ts'
import { changeOnce, expectedBy, newToken, type Revision, tagOf } from './conditional-change.ts'
import { dynamodb, type Options, putIf, updateIf, withinBudget } from './dynamodb.ts'
import {
  createOnce,
  freshIds,
  nowInSeconds,
  type Origin,
  reservationStore,
  reservedIds,
  VALID_SECONDS,
} from './idempotent-create.ts'
import { fieldIndexes, NEWEST, type TableId, tableName } from './tables.ts'

/** A collection of resources, and what is particular to it. */
export type Collection<Resource extends { id: number }> = {
  /** A table with the partition key `id`, whose index `newest` has all items by `shard`. */
  table: TableId
  /** The fields of its resources, in the order in which they are returned. They must not have names of `Item` but `id`. */
  fields: readonly (keyof Resource & string)[]
}

/**
 * Which page of a list to read: the newest resources with ids below `before`. `where` selects those with a value of one
 * field, which must have an index.
 */
export type Page = { limit: number; before?: number | undefined; where?: Readonly<Record<string, string | undefined>> }

/** A resource as it is stored: with how it was created, and its revision. */
type Item = Record<string, unknown> & Partial<Origin> & Revision & { id: number; shard: number; deletion?: undefined }

/**
 * What a deleted resource leaves until `expiresAt`, so that no retry of its creation brings it back. It has no `shard`, and
 * so is in no index.
 */
type Tombstone = Partial<Origin> & Revision & { id: number; shard?: undefined; deletion: string }

/** How long a tombstone is kept: longer than any reservation can live. */
const TOMBSTONE_SECONDS = 2 * VALID_SECONDS

/** Reads one resource (strongly consistent); `undefined` if none has that id. */
export const find = <Resource extends { id: number }>(of: Collection<Resource>, id: Int64) =>
  withinBudget(async (options) => tagged(of, await read(of, id, options)))

/**
 * Creates a resource. All calls with the same intent within 24 hours create one, and return it as it was then; `isReplay`
 * is true if an earlier call created it. Throws an ApiError 422 if the intent was used for another resource.
 */
export const create = <Resource extends { id: number }>(
  of: Collection<Resource>,
  values: Omit<Resource, 'id'>,
  intent: Intent | undefined,
): Promise<Tagged<Resource> & { isReplay: boolean }> =>
  withinBudget(async (options) => {
    const origin = { creation: randomUUID(), reservation: intent && intentDigest(intent) }
    const ids = origin.reservation
      ? reservedIds(reservationStore(origin.reservation, options), newId, fingerprintOf(values))
      : freshIds
    const { id, isReplay } = await createOnce(origin, ids, {
      write: (id) => put(of, { id, ...values, ...origin, shard: shardOf(id) }, options),
      read: (id) => read(of, id, options),
    })
    return { resource: resourceOf(of, { id, ...values }), etag: etagOf(tagOf(id, {})), isReplay }
  })

/**
 * Changes a resource, and returns it; `undefined` if none has that id. A field that is `null` is removed. Without
 * `ifMatch`, the last of concurrent changes of a field wins. Throws an ApiError 412 if `ifMatch` does not name its
 * revision: then nothing has happened.
 */
export const change = <Resource extends { id: number }>(
  of: Collection<Resource>,
  id: Int64,
  changes: object,
  ifMatch: IfMatch | undefined,
): Promise<Tagged<Resource> | undefined> => {
  const revision = newToken()
  return withinBudget(async (options) => {
    const attributes = { ...changes, ...partitionsOf(of, changes, shardOf(id)), revision }
    return tagged(of, await update(of, id, { token: revision, attributes, ifMatch }, options))
  })
}

/** Deletes a resource, and returns whether there was one. Throws an ApiError 412 as `change` does. */
export const remove = <Resource extends { id: number }>(
  of: Collection<Resource>,
  id: Int64,
  ifMatch: IfMatch | undefined,
): Promise<boolean> => {
  const deletion = randomUUID()
  return withinBudget(async (options) => {
    const names = [...of.fields.filter((name) => name !== 'id'), 'shard', 'revision']
    const gone = Object.fromEntries(names.map((name) => [name, null]))
    const expiresAt = nowInSeconds() + TOMBSTONE_SECONDS
    const attributes = { ...gone, ...partitionsOf(of, gone, 0), deletion, expiresAt }
    return (await update(of, id, { token: deletion, attributes, ifMatch }, options)) !== undefined
  })
}

/**
 * Reads a page of the newest resources. `next` is the value of `before` for the next page; `undefined` on the last page. A
 * list is eventually consistent, and the cost of a page does not grow with the number of resources.
 */
export const list = <Resource extends { id: number }>(of: Collection<Resource>, page: Page) =>
  withinBudget(async (options) => {
    const shards = Array.from({ length: shardCount('readShards') }, (_, shard) => query(of, page, shard, options))
    const found = (await Promise.all(shards)).flat().sort((a, b) => b.id - a.id)
    const items = found.slice(0, page.limit).map((item) => resourceOf(of, item))
    return { items, next: found.length > page.limit ? items.at(-1)?.id : undefined }
  })

type AnyCollection = Pick<Collection<{ id: number }>, 'table'>

/** Reads the newest items of a page from one shard. */
const query = async ({ table }: AnyCollection, page: Page, shard: number, options: Options): Promise<Item[]> => {
  const { where = {}, limit, before } = page
  const { index, field, key } = fieldIndexes(table).find(({ field }) => where[field] !== undefined) ?? NEWEST
  const input = {
    TableName: tableName(table),
    IndexName: index,
    KeyConditionExpression: `#partition = :partition${before === undefined ? '' : ' AND id < :before'}`,
    ExpressionAttributeNames: { '#partition': key }, // `shard` is a reserved word.
    ExpressionAttributeValues: { ':partition': field ? `${where[field]}#${shard}` : shard, ':before': before },
    ScanIndexForward: false,
    // One more than the page has tells whether it is the last. A query returns at most 1 MB: 101 items of 10 KB.
    Limit: limit + 1,
  }
  const { Items = [] } = await dynamodb.send(new QueryCommand(input), options)
  return Items as Item[] // The document client types every item as `any`.
}

const read = async ({ table }: AnyCollection, id: Int64, options: Options): Promise<Item | Tombstone | undefined> => {
  const input = { TableName: tableName(table), Key: { id }, ConsistentRead: true }
  const { Item } = await dynamodb.send(new GetCommand(input), options)
  return Item as Item | Tombstone | undefined // As above.
}

const put = (of: AnyCollection, item: Item, options: Options): Promise<boolean> => {
  const Item = { ...item, ...partitionsOf(of, item, item.shard) }
  return putIf({ TableName: tableName(of.table), Item, ConditionExpression: 'attribute_not_exists(id)' }, options)
}

type Change = { token: string; attributes: object; ifMatch: IfMatch | undefined }

const update = (of: AnyCollection, id: Int64, { token, attributes, ifMatch }: Change, options: Options) => {
  const key = { TableName: tableName(of.table), Key: { id } }
  return changeOnce<Item | Tombstone>(token, expectedBy(ifMatch, id), {
    write: (condition) => updateIf(key, attributes, condition, options),
    read: () => read(of, id, options),
  })
}

const tagged = <Resource extends { id: number }>(
  of: Collection<Resource>,
  item: Item | Tombstone | undefined,
): Tagged<Resource> | undefined =>
  item?.shard === undefined ? undefined : { resource: resourceOf(of, item), etag: etagOf(tagOf(item.id, item)) }

const resourceOf = <Resource extends { id: number }>(
  { fields }: Collection<Resource>,
  item: Record<string, unknown>,
): Resource => {
  const present = fields.filter((name) => item[name] !== undefined)
  return Object.fromEntries(present.map((name) => [name, item[name]])) as Resource // As `create` and `change` store it.
}

/** The partitions of the indexes that follow from these values: `null` for a field that is removed. */
const partitionsOf = ({ table }: AnyCollection, values: object, shard: number): object => {
  const given = fieldIndexes(table).map(({ field, key }) => [key, Object(values)[field]])
  return Object.fromEntries(
    given.map(([key, value]) => [key, value === undefined || value === null ? value : `${value}#${shard}`]),
  )
}

const shardOf = (id: Int64): number => Number(id) % shardCount('writeShards')

const shardCount = (name: 'readShards' | 'writeShards'): number => {
  const count = Number(setting(name))
  // Without this check, a list would be empty.
  if (!(Number.isInteger(count) && count > 0)) throw new Error(`${settings[name].variable} must be a positive integer.`)
  return count
}
