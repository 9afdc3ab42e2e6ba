import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { type Deadline, dynamodb } from './dynamodb.ts'
import { type Attributes, filterIndex, filterPartition, NEWEST, shardCount } from './indexes.ts'
import { type CollectionId, tableName } from './tables.ts'

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

/** Reads a page, with one query for each shard. Large items make it shorter. */
export const readPage = async (query: PageQuery, deadline: Deadline): Promise<Page<Attributes>> => {
  const queries = Array.from({ length: shardCount('readShards') }, (_, shard) =>
    readShard(query, shard, deadline),
  )
  const shards = await Promise.all(queries)
  const read = shards.flatMap(({ items }) => items).sort((a, b) => b.id - a.id)
  // A query that stopped early knows no ids below its last one, so the others are incomplete there.
  const completeFrom = Math.max(...shards.map((shard) => shard.completeFrom))
  const complete = read.filter(({ id }) => id >= completeFrom)
  const items = complete.slice(0, query.limit)
  const isLast = completeFrom === 0 && items.length === complete.length
  return { items, next: isLast ? undefined : items.at(-1)?.id }
}

/** Reads the newest items of a shard: all with ids from `completeFrom` on. */
const readShard = async (
  { table, limit, cursor = END_OF_IDS, filter }: PageQuery,
  shard: number,
  deadline: Deadline,
) => {
  const { name, partitionKey } = filter ? filterIndex(filter.field) : NEWEST
  const command = new QueryCommand({
    TableName: tableName(table),
    IndexName: name,
    KeyConditionExpression: '#partition = :partition AND id < :cursor',
    ExpressionAttributeNames: { '#partition': partitionKey.name }, // `shard` is a reserved word.
    ExpressionAttributeValues: {
      ':partition': filter ? filterPartition(filter.value, shard) : shard,
      ':cursor': cursor,
    },
    ScanIndexForward: false,
    // One more than the page has tells whether it is the last. The query ends before that at 1 MB.
    Limit: limit + 1,
  })
  const { Items = [], LastEvaluatedKey } = await dynamodb.send(command, deadline)
  return {
    items: Items as (Attributes & { id: number })[], // The document client types them as `any`.
    completeFrom: Number(LastEvaluatedKey?.id ?? 0),
  }
}

const END_OF_IDS = Number.MAX_SAFE_INTEGER
