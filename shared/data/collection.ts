import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { notFound, preconditionFailed } from '../model/api-error.ts'
import { type IfMatch, type Revised, tagOf } from '../model/etag.ts'
import { newId } from '../model/id.ts'
import type { Intent } from '../model/idempotency-key.ts'
import type { Int64 } from '../model/int64.ts'
import { collections } from '../service.ts'
import { setting, settings } from '../settings.ts'
import { dynamodb, type Options, withinBudget } from './dynamodb.ts'
import { reserve } from './reservations.ts'
import { type CollectionId, type FilterOf, filterIndex, NEWEST, tableName } from './tables.ts'
import { type Item, inside, type Key, type Transaction } from './transaction.ts'

/** The schema of a resource. A collection stores its `id`, `shard`, `revision` and a `<field>Shard` for each filter itself. */
type ResourceSchema<Id extends CollectionId> = v.GenericSchema<unknown, { id: number }> & {
  entries: v.ObjectEntries & { [Field in 'shard' | 'revision' | `${FilterOf<Id>}Shard`]?: never }
}

/** Which page of a list to read: the newest resources with ids below `cursor`. A filter selects those with a value of a field. */
type Query = { limit: number; cursor?: number | undefined }

/** At most one of the fields, because each index has the values of one. */
type Filter<Field extends string> = [Field] extends [never]
  ? unknown
  : { [One in Field]: { [F in One]?: string | undefined } & { [F in Exclude<Field, One>]?: undefined } }[Field]

/** A page of a list. `next` is the cursor of the page after it; `undefined` on the last page. */
export type Page<Resource> = { items: Resource[]; next: number | undefined }

/**
 * The resources in a table, with the fields of the `schema`. `own` are fields that are stored and never returned. Functions
 * that take an `open` transaction become a part of it.
 */
export const collection = <
  Id extends CollectionId,
  Schema extends ResourceSchema<Id>,
  Own extends v.ObjectEntries = Record<never, never>,
>(
  table: Id,
  schema: Schema,
  _own?: Own,
) => {
  type Resource = v.InferOutput<Schema>
  type Fields = Resource & { [Field in keyof Own]?: v.InferOutput<Own[Field]> | undefined }
  type Stored = Item & Fields
  type Changes = { [Field in Exclude<keyof Fields, 'id'>]?: Fields[Field] | null | undefined }

  const keyOf = (id: Int64): Key => ({ table, value: id })

  const resourceOf = (item: object): Resource => {
    const fields = Object.keys(schema.entries).map((name) => [name, Object(item)[name]])
    return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as Resource // As it was stored.
  }

  const revised = (item: object, revision: string): Revised<Resource> => ({ resource: resourceOf(item), revision })

  const put = (open: Transaction, item: { id: number }) => {
    open.put(keyOf(item.id), { ...item, ...partitionsOf(table, item) })
    return revised(item, open.revision)
  }

  /**
   * Reads a resource as it is stored. Throws an ApiError: 404 if there is none, 412 if `ifMatch` does not name its
   * revision.
   */
  const read = async (id: Int64, ifMatch: IfMatch | undefined, open: Transaction): Promise<Stored> => {
    const [item] = await open.read(keyOf(id))
    if (!item) throw notFound(`No ${v.getTitle(schema)?.toLowerCase()} has the id ${id}.`)
    if (Array.isArray(ifMatch) && !ifMatch.includes(tagOf(id, item.revision)))
      throw preconditionFailed(ifMatch.some((tag) => tag.startsWith('W/')))
    return item as Stored // As `put` stores it.
  }

  return {
    keyOf,
    read,

    /** Reads one resource (strongly consistent). Throws an ApiError 404 if there is none. */
    get: (id: Int64, open?: Transaction) =>
      inside(open, async (open) => {
        const item = await read(id, undefined, open)
        return revised(item, item.revision)
      }),

    /**
     * Creates a resource. All calls with the same intent within 24 hours create one, and return it as it was then; `isReplay`
     * is true if an earlier call created it. Throws an ApiError 422 if the intent was used for another resource.
     */
    create: (values: Omit<Resource, 'id'>, intent?: Intent, open?: Transaction) =>
      inside(open, async (open) => {
        const id = newId()
        const earlier = await reserve(open, intent, id, values)
        if (earlier) return { ...revised({ ...values, id: earlier.id }, earlier.revision), isReplay: true }
        return { ...put(open, { ...values, id }), isReplay: false }
      }),

    /**
     * Changes a resource, and returns it. A field that is `null` is removed. Throws an ApiError as `read` does; then nothing
     * has happened.
     */
    change: (id: Int64, changes: Changes, ifMatch?: IfMatch, open?: Transaction) =>
      inside(open, async (open) => {
        const given = Object.entries(changes).filter(([, value]) => value !== undefined)
        const present = given.map(([name, value]) => [name, value ?? undefined])
        return put(open, { ...(await read(id, ifMatch, open)), ...Object.fromEntries(present) })
      }),

    /** Deletes a resource. Throws an ApiError as `change` does. */
    remove: (id: Int64, ifMatch?: IfMatch, open?: Transaction): Promise<void> =>
      inside(open, async (open) => {
        await read(id, ifMatch, open)
        open.remove(keyOf(id))
      }),

    /** Reads a page of a list (eventually consistent). What it costs does not depend on the number of resources. */
    list: <Given extends Query & Filter<FilterOf<Id>>>(
      // Anything else would be ignored, and the list would have too much.
      query: Given & { [Other in Exclude<keyof Given, keyof Query | FilterOf<Id>>]: never },
    ): Promise<Page<Resource>> =>
      withinBudget(async (options) => {
        const shards = Array.from({ length: shardCount('readShards') }, (_, shard) =>
          newestOf(table, query, shard, options),
        )
        const found = (await Promise.all(shards)).flat().sort((a, b) => b.id - a.id)
        const items = found.slice(0, query.limit).map(resourceOf)
        return { items, next: found.length > query.limit ? items.at(-1)?.id : undefined }
      }),
  }
}

/** Reads the newest items of a page from one shard. */
const newestOf = async (table: CollectionId, query: Query, shard: number, options: Options) => {
  const { limit, cursor } = query
  const filter = collections[table].find((field) => Object(query)[field] !== undefined)
  const { index, name: key } = filter ? filterIndex(filter) : NEWEST
  const input = {
    TableName: tableName(table),
    IndexName: index,
    KeyConditionExpression: `#partition = :partition${cursor === undefined ? '' : ' AND id < :before'}`,
    ExpressionAttributeNames: { '#partition': key }, // `shard` is a reserved word.
    ExpressionAttributeValues: {
      ':partition': filter ? partitionOf(Object(query)[filter], shard) : shard,
      ':before': cursor,
    },
    ScanIndexForward: false,
    // One more than the page has tells whether it is the last. A query returns at most 1 MB: 101 items of 10 KB.
    Limit: limit + 1,
  }
  const { Items = [] } = await dynamodb.send(new QueryCommand(input), options)
  return Items as { id: number }[] // The document client types every item as `any`.
}

/** The partitions of an item in the indexes; `undefined` where it is in none. */
const partitionsOf = (table: CollectionId, item: { id: number }): object => {
  const shard = item.id % shardCount('writeShards')
  const filtered = collections[table].map((field) => [filterIndex(field).name, Object(item)[field]])
  const partitions = filtered.map(([key, value]) => [key, value === undefined ? value : partitionOf(value, shard)])
  return { shard, ...Object.fromEntries(partitions) }
}

const partitionOf = (value: unknown, shard: number): string => `${value}#${shard}`

const shardCount = (name: 'readShards' | 'writeShards'): number => {
  const count = Number(setting(name))
  // Without this check, a list would be empty.
  if (!(Number.isInteger(count) && count > 0)) throw new Error(`${settings[name].variable} must be a positive integer.`)
  return count
}
