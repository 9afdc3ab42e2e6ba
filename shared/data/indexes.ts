import { collections } from '../service.ts'
import { setting, settings } from '../settings.ts'
import { type CollectionId, filterIndex } from './tables.ts'

/** What an item has, by name. */
export type Attributes = { [name: string]: unknown }

/** Over how many partitions of an index lists are read, or new items are written. */
export const shardCount = (name: 'readShards' | 'writeShards'): number => {
  const count = Number(setting(name))
  // Without this check, a list would be empty.
  if (!(Number.isInteger(count) && count > 0))
    throw new Error(`${settings[name]} must be a positive integer.`)
  return count
}

/** The partitions of an item in the indexes; `undefined` where it is in none. */
export const partitions = (table: CollectionId, item: Attributes): Attributes => {
  // An item stays in its shard: while it moved, a list would have it twice or not.
  const stays = item.shard !== undefined && Number(item.shard) < shardCount('readShards')
  const shard = stays ? Number(item.shard) : Number(item.id) % shardCount('writeShards')
  const all: Attributes = { shard }
  for (const field of collections[table]) {
    const value = item[field]
    all[filterIndex(field).name] = value === undefined ? undefined : filterPartition(value, shard)
  }
  return all
}

/** The partition of the items with a value in one shard: a text, whatever the value is. */
export const filterPartition = (value: unknown, shard: number): string => `${value}#${shard}`
