import { capitalized } from '../model/names.ts'
import { setting, settings } from '../settings.ts'

/** What an item has, by name. */
export type Attributes = { [name: string]: unknown }

/** An attribute of the key of a table or an index. */
export type KeyAttribute = { name: string; type: 'S' | 'N' }

/**
 * An index of a collection. A partition of it takes 1,000 writes per second, so items are spread
 * over shards: each partition has those of one shard, sorted by id.
 */
type Index = { name: string; partitionKey: KeyAttribute }

/** The index of all items. A partition is a shard. */
export const NEWEST: Index = { name: 'newest', partitionKey: { name: 'shard', type: 'N' } }

/** The index of the items that have this field. A partition is a value in a shard. */
export const filterIndex = (field: string): Index => ({
  name: `by${capitalized(field)}`,
  partitionKey: { name: `${field}Shard`, type: 'S' },
})

export const filterPartition = (value: unknown, shard: number): string => `${value}#${shard}`

/** The key attributes of an item in its indexes: none for a filter that it has no value of. */
export const indexKeys = (filters: readonly string[], item: Attributes): Attributes => {
  const shard = shardOf(item)
  const keys: Attributes = { shard }
  for (const field of filters) {
    const { partitionKey } = filterIndex(field)
    const value = item[field]
    keys[partitionKey.name] = value === undefined ? value : filterPartition(value, shard)
  }
  return keys
}

/** Over how many shards lists are read, or new items are written. */
export const shardCount = (name: 'readShards' | 'writeShards'): number => {
  const count = Number(setting(name))
  // Without this check, a list would be empty.
  if (!(Number.isInteger(count) && count > 0))
    throw new Error(`${settings[name]} must be a positive integer.`)
  return count
}

/**
 * The shard of an item, which stays in it. If it moved while a client follows pages, a list could
 * show it twice or never. It moves only out of a shard that lists no longer read.
 */
const shardOf = ({ id, shard }: Attributes): number => {
  const isRead = shard !== undefined && Number(shard) < shardCount('readShards')
  return isRead ? Number(shard) : Number(id) % shardCount('writeShards')
}
