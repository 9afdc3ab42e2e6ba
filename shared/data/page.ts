import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { collections } from '../service.ts'
import { setting, settings } from '../settings.ts'
import { dynamodb, type Options, withinBudget } from './dynamodb.ts'
import { type CollectionId, filterIndex, NEWEST, tableName } from './tables.ts'

/** What an item has, by name. */
export type Attributes = { [name: string]: unknown }

/** Which page of a list to read: the newest `limit` (1 to 100) items with ids below `cursor`. A filter selects those with a value of a field. */
export type Query = { limit: number; cursor?: number | undefined }

/** A page of a list. `next` is the cursor of the page after it; `undefined` on the last page. */
export type Page<Item> = { items: Item[]; next: number | undefined }

/** Reads a page: a query for each shard of an index. Large items make it shorter. Throws an ApiError 503 as `withinBudget` does. */
export const pageOf = (table: CollectionId, query: Query & Attributes): Promise<Page<Attributes>> =>
  withinBudget(async (options) => {
    const shards = Array.from({ length: shardCount('readShards') }, (_, shard) =>
      newestOf(table, query, shard, options),
    )
    const parts = await Promise.all(shards)
    const found = parts.flatMap(({ items }) => items).sort((a, b) => b.id - a.id)
    // What follows in a shard whose query ended early is unknown.
    const end = Math.max(0, ...parts.map(({ last }) => last))
    const items = found.filter(({ id }) => id >= end).slice(0, query.limit)
    const isLast = end === 0 && items.length === found.length
    return { items, next: isLast ? undefined : items.at(-1)?.id }
  })

/** Reads the newest items of one shard. `last` is the id after which the query ended early; 0 if it did not. */
const newestOf = async (table: CollectionId, query: Query & Attributes, shard: number, options: Options) => {
  const { limit, cursor } = query
  const filter = collections[table].find((field) => query[field] !== undefined)
  const { index, name: key } = filter ? filterIndex(filter) : NEWEST
  const input = {
    TableName: tableName(table),
    IndexName: index,
    KeyConditionExpression: `#partition = :partition${cursor === undefined ? '' : ' AND id < :before'}`,
    ExpressionAttributeNames: { '#partition': key }, // `shard` is a reserved word.
    ExpressionAttributeValues: {
      ':partition': filter ? partitionOf(query[filter], shard) : shard,
      ':before': cursor,
    },
    ScanIndexForward: false,
    // One more than the page has tells whether it is the last. The query ends before that at 1 MB.
    Limit: limit + 1,
  }
  const { Items = [], LastEvaluatedKey } = await dynamodb.send(new QueryCommand(input), options)
  // The document client types every item as `any`.
  return { items: Items as (Attributes & { id: number })[], last: Number(LastEvaluatedKey?.id ?? 0) }
}

/** The partitions of an item in the indexes; `undefined` where it is in none. */
export const partitionsOf = (table: CollectionId, item: Attributes): Attributes => {
  const shard = Number(item.id) % shardCount('writeShards')
  const filtered = collections[table].map((field) => [filterIndex(field).name, item[field]])
  const partitions = filtered.map(([key, value]) => [key, value === undefined ? value : partitionOf(value, shard)])
  return { shard, ...Object.fromEntries(partitions) }
}

// Also of a number or a boolean: the key of a filter's index is a text.
const partitionOf = (value: unknown, shard: number): string => `${value}#${shard}`

const shardCount = (name: 'readShards' | 'writeShards'): number => {
  const count = Number(setting(name))
  // Without this check, a list would be empty.
  if (!(Number.isInteger(count) && count > 0)) throw new Error(`${settings[name].variable} must be a positive integer.`)
  return count
}
