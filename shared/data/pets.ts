import { randomUUID } from 'node:crypto'
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { fingerprintOf, type Intent, intentDigest } from '../model/idempotency-key.ts'
import type { Int64 } from '../model/int64.ts'
import { type NewPet, newPetId, type Pet, type PetStatus, type Pets } from '../model/pet.ts'
import { dynamodb, type Options, putIf, withinBudget } from './dynamodb.ts'
import { createOnce, type Ids, type Origin, reservationStore, reservedIds } from './idempotent-create.ts'
import { setting, settings } from './tables.ts'

/** Reads one pet (strongly consistent); `undefined` if no pet has that id. */
export const find = (id: Int64): Promise<Pet | undefined> =>
  withinBudget(async (options) => {
    const item = await read(id, options)
    return item && toPet(item)
  })

/**
 * Creates a pet. All calls with the same intent within 24 hours create one pet; `isReplay` is true if an earlier call
 * created it.
 *
 * @throws ApiError 422 if the intent was used for another pet
 */
export const create = (newPet: NewPet, intent?: Intent): Promise<{ pet: Pet; isReplay: boolean }> =>
  withinBudget(async (options) => {
    const origin = { creation: randomUUID(), reservation: intent && intentDigest(intent) }
    const ids = origin.reservation
      ? reservedIds(reservationStore(origin.reservation, options), newPetId, fingerprintOf(newPet))
      : freshIds
    const { id, stored } = await createOnce<Item>(origin, ids, {
      write: (id) => write({ id, ...newPet }, origin, options),
      read: (id) => read(id, options),
    })
    return { pet: stored ? toPet(stored) : { id, ...newPet }, isReplay: stored !== undefined }
  })

/**
 * Reads a page of pets with ids below `before`, newest first: those with `status`, or all pets, also those without one.
 * `next` is the value of `before` for the next page; `undefined` on the last page. The list is eventually consistent,
 * and the cost of a page does not grow with the number of pets.
 */
export const list = (page: Page): Promise<{ pets: Pets; next: number | undefined }> =>
  withinBudget(async (options) => {
    const shards = Array.from({ length: shardCount('readShards') }, (_, shard) => query(page, shard, options))
    const found = (await Promise.all(shards)).flat().sort((a, b) => b.id - a.id)
    const pets = found.slice(0, page.limit)
    return { pets: pets.map(toPet), next: found.length > page.limit ? pets.at(-1)?.id : undefined }
  })

type Page = { status?: PetStatus; limit: number; before?: number }

type Item = NewPet & { id: number } & Partial<Origin>

const freshIds: Ids = { first: async () => newPetId(), next: async () => newPetId() }

const read = async (id: Int64, options: Options): Promise<Item | undefined> => {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: setting('petsTable'), Key: { id }, ConsistentRead: true }),
    options,
  )
  return Item as Item | undefined // The document client types every item as `any`; only `write` creates them.
}

const write = (pet: NewPet & { id: number }, origin: Origin, options: Options): Promise<boolean> => {
  const shard = pet.id % shardCount('writeShards')
  const Item = { ...pet, ...origin, shard, statusShard: pet.status && statusShard(pet.status, shard) }
  return putIf({ TableName: setting('petsTable'), Item, ConditionExpression: 'attribute_not_exists(id)' }, options)
}

/** Reads the newest pets of a page from one shard. */
const query = async ({ status, limit, before }: Page, shard: number, options: Options): Promise<Item[]> => {
  const { Items } = await dynamodb.send(
    new QueryCommand({
      TableName: setting('petsTable'),
      IndexName: status ? 'byStatus' : 'newest',
      KeyConditionExpression: `#partition = :partition${before === undefined ? '' : ' AND id < :before'}`,
      ExpressionAttributeNames: { '#partition': status ? 'statusShard' : 'shard' }, // `shard` is a reserved word.
      ExpressionAttributeValues: { ':partition': status ? statusShard(status, shard) : shard, ':before': before },
      ScanIndexForward: false,
      // One more pet than the page has tells whether it is the last. A query returns at most 1 MB, and 101 pets are at
      // most 0.42 MB (names of 4 KB), so one query is enough.
      Limit: limit + 1,
    }),
    options,
  )
  return (Items ?? []) as Item[] // As above.
}

const statusShard = (status: PetStatus, shard: number): string => `${status}#${shard}`

const shardCount = (name: 'readShards' | 'writeShards'): number => {
  const count = Number(setting(name))
  // Without this check, a list would be empty.
  if (!(Number.isInteger(count) && count > 0)) throw new Error(`${settings[name]} must be a positive integer.`)
  return count
}

const toPet = ({ id, name, categoryId, status }: Item): Pet => ({ id, name, categoryId, ...(status && { status }) })
