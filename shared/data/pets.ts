import { randomUUID } from 'node:crypto'
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { fingerprintOf, type Intent, intentDigest } from '../model/idempotency-key.ts'
import type { Int64 } from '../model/int64.ts'
import { type NewPet, newPetId, type Pet, PetStatus, type Pets } from '../model/pet.ts'
import { dynamodb, type Options, putIf, withinBudget } from './dynamodb.ts'
import { createOnce, type Ids, type Origin, reservationStore, reservedIds } from './idempotent-create.ts'
import { setting } from './tables.ts'

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
export const list = ({ status, limit, before }: { status?: PetStatus; limit: number; before?: number }) =>
  withinBudget(async (options): Promise<{ pets: Pets; next: number | undefined }> => {
    // One more pet than `limit` tells whether this page is the last. A query returns at most 1 MB, and 101 pets are at
    // most 0.42 MB (names of 4 KB), so one query per shard is enough.
    const queries = statusShards(status).map((shard) => query(shard, limit + 1, before, options))
    const found = (await Promise.all(queries)).flat().sort((a, b) => b.id - a.id)
    const page = found.slice(0, limit)
    return { pets: page.map(toPet), next: found.length > limit ? page.at(-1)?.id : undefined }
  })

/**
 * The partition of the index `byStatus` for a pet. A partition takes 1,000 writes per second; the setting `writeShards`
 * spreads the pets of one status over several.
 */
export const statusShard = (status: PetStatus | undefined, id: number): string =>
  `${status ?? NONE}#${id % Number(setting('writeShards'))}`

/** The partitions of the index `byStatus` that hold the pets of one status, or all pets. */
const statusShards = (status?: PetStatus): string[] => {
  const shards = Array.from({ length: Number(setting('readShards')) }, (_, shard) => shard)
  return (status ? [status] : [...PetStatus.options, NONE]).flatMap((name) => shards.map((shard) => `${name}#${shard}`))
}

// Pets without a status are in the list of all pets and in no filtered list, so they have partitions of their own.
const NONE = 'none'

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
  const Item = { ...pet, ...origin, statusShard: statusShard(pet.status, pet.id) }
  return putIf({ TableName: setting('petsTable'), Item, ConditionExpression: 'attribute_not_exists(id)' }, options)
}

const query = async (shard: string, limit: number, before: number | undefined, options: Options): Promise<Item[]> => {
  const { Items } = await dynamodb.send(
    new QueryCommand({
      TableName: setting('petsTable'),
      IndexName: 'byStatus',
      KeyConditionExpression: before === undefined ? 'statusShard = :shard' : 'statusShard = :shard AND id < :before',
      ExpressionAttributeValues: { ':shard': shard, ':before': before },
      ScanIndexForward: false,
      Limit: limit,
    }),
    options,
  )
  return (Items ?? []) as Item[] // As above.
}

const toPet = ({ id, name, categoryId, status }: Item): Pet => ({ id, name, categoryId, ...(status && { status }) })
