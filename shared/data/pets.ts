import { randomUUID } from 'node:crypto'
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { fingerprintOf, type Intent, intentDigest } from '../model/idempotency-key.ts'
import type { Int64 } from '../model/int64.ts'
import { type NewPet, newPetId, type Pet, PetStatus, type Pets } from '../model/pet.ts'
import { dynamodb, type Options, putIf, withinBudget } from './dynamodb.ts'
import { createOnce, type Ids, type Origin, reservationOf, reservedIds } from './idempotent-create.ts'
import { setting } from './tables.ts'

/** Reads one pet; `undefined` where none has that id. Sees every pet that was created before. */
export const find = (id: Int64): Promise<Pet | undefined> =>
  withinBudget(async (options) => {
    const item = await read(id, options)
    return item && toPet(item)
  })

/**
 * Adds a pet, once. With an intent, that is once for all calls with the same one within 24 hours: `isReplay` tells
 * that an earlier call has added it.
 *
 * @throws ApiError 422 where the intent was to add another pet
 */
export const create = (newPet: NewPet, intent?: Intent): Promise<{ pet: Pet; isReplay: boolean }> =>
  withinBudget(async (options) => {
    const origin = { creation: randomUUID(), reservation: intent && intentDigest(intent) }
    const ids = origin.reservation
      ? reservedIds(reservationOf(origin.reservation, options), newPetId, fingerprintOf(newPet))
      : freshIds
    const { id, there } = await createOnce<Item>(origin, ids, {
      write: (id) => write({ id, ...newPet }, origin, options),
      read: (id) => read(id, options),
    })
    return { pet: there ? toPet(there) : { id, ...newPet }, isReplay: there !== undefined }
  })

/**
 * A page of pets, newest first: of one status, or of all (those without one included), below the id `before`.
 * `next` is what `before` is for the next page; it is absent on the last. Only the index is read, which is eventually
 * consistent, and the cost of a page does not grow with the catalogue.
 */
export const list = ({ status, limit, before }: { status?: PetStatus; limit: number; before?: number }) =>
  withinBudget(async (options): Promise<{ pets: Pets; next: number | undefined }> => {
    // One more than asked for tells whether this page is the last. A hundred pets are at most 0.42 MB (names of 4 KB),
    // and DynamoDB cuts a query at 1 MB: so one query a shard is all.
    const queries = statusShards(status).map((shard) => query(shard, limit + 1, before, options))
    const found = (await Promise.all(queries)).flat().sort((a, b) => b.id - a.id)
    const page = found.slice(0, limit)
    return { pets: page.map(toPet), next: found.length > limit ? page.at(-1)?.id : undefined }
  })

type Item = NewPet & { id: number } & Partial<Origin>

const freshIds: Ids = { first: async () => newPetId(), insteadOf: async () => newPetId() }

const read = async (id: Int64, options: Options): Promise<Item | undefined> => {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: setting('petsTable'), Key: { id }, ConsistentRead: true }),
    options,
  )
  return Item as Item | undefined // The document client types every item as `any`; only `write` makes them.
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

// Pets without a status have a partition of their own: they are in the list of all, and in no filtered one.
const NONE = 'none'

/**
 * The partition of the index `byStatus` that a pet is written to. One takes 1,000 writes a second; creates of one
 * status spread over as many as the setting `writeShards` says.
 */
export const statusShard = (status: PetStatus | undefined, id: number): string =>
  `${status ?? NONE}#${id % Number(setting('writeShards'))}`

/** The partitions that hold the pets of one status, or of all. */
export const statusShards = (status?: PetStatus): string[] => {
  const shards = Array.from({ length: Number(setting('readShards')) }, (_, shard) => shard)
  return (status ? [status] : [...PetStatus.options, NONE]).flatMap((name) => shards.map((shard) => `${name}#${shard}`))
}
