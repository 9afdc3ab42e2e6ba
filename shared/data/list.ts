import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { type Budget, dynamodb } from './dynamodb.ts'
import { type Attributes, filterPartition, shardCount } from './shards.ts'
import { type CollectionId, filterIndex, NEWEST, tableName } from './tables.ts'

/**
 * Which page of a list to read: the newest `limit` (1 to 100) items with ids below `cursor`, and
 * with a value of a field.
 */
export type PageQuery = {
  table: CollectionId
  limit: number
  cursor?: number | undefined
  filter?: { field: string; value: unknown } | undefined
}

/** A page of a list. `next` is the cursor of the page after it; `undefined` on the last page. */
export type Page<Item> = { items: Item[]; next: number | undefined }

/** Reads a page: a query for each shard of an index. Large items make it shorter. */
export const readPage = async (query: PageQuery, budget: Budget): Promise<Page<Attributes>> => {
  const shards = Array.from({ length: shardCount('readShards') }, (_, shard) =>
    readShard(query, shard, budget),
  )
  const parts = await Promise.all(shards)
  const found = parts.flatMap(({ items }) => items).sort((a, b) => b.id - a.id)
  // What follows in a shard whose query ended early is unknown.
  const lowestId = Math.max(0, ...parts.map(({ endedAt }) => endedAt))
  const items = found.filter(({ id }) => id >= lowestId).slice(0, query.limit)
  const isLast = lowestId === 0 && items.length === found.length
  return { items, next: isLast ? undefined : items.at(-1)?.id }
}

/** Reads the newest items of one shard; `endedAt` is the id where the query ended early, or 0. */
const readShard = async (
  { table, limit, cursor = END_OF_IDS, filter }: PageQuery,
  shard: number,
  budget: Budget,
) => {
  const { index, name } = filter ? filterIndex(filter.field) : NEWEST
  const command = new QueryCommand({
    TableName: tableName(table),
    IndexName: index,
    KeyConditionExpression: '#partition = :partition AND id < :cursor',
    ExpressionAttributeNames: { '#partition': name }, // `shard` is a reserved word.
    ExpressionAttributeValues: {
      ':partition': filter ? filterPartition(filter.value, shard) : shard,
      ':cursor': cursor,
    },
    ScanIndexForward: false,
    // One more than the page has tells whether it is the last. The query ends before that at 1 MB.
    Limit: limit + 1,
  })
  const { Items = [], LastEvaluatedKey } = await dynamodb.send(command, budget)
  // The document client types every item as `any`.
  return {
    items: Items as (Attributes & { id: number })[],
    endedAt: Number(LastEvaluatedKey?.id ?? 0),
  }
}

const END_OF_IDS = Number.MAX_SAFE_INTEGER
