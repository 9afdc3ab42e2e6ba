import { randomUUID } from 'node:crypto'
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { fingerprintOf, type Intent, intentDigest } from '../model/idempotency-key.ts'
import type { Int64 } from '../model/int64.ts'
import { type NewPet, newPetId, type Pet, type PetChanges, type PetStatus, type Pets } from '../model/pet.ts'
import { setting, settings } from '../settings.ts'
import { dynamodb, type Options, putIf, updateIf, withinBudget } from './dynamodb.ts'
import {
  createOnce,
  type Ids,
  nowInSeconds,
  type Origin,
  reservationStore,
  reservedIds,
  VALID_SECONDS,
} from './idempotent-create.ts'
import { tableName } from './tables.ts'

/** Reads one pet (strongly consistent); `undefined` if no pet has that id. */
export const find = (id: Int64): Promise<Pet | undefined> =>
  withinBudget(async (options) => {
    const item = await read(id, options)
    return item && 'shard' in item ? toPet(item) : undefined // A deleted pet has no shard.
  })

/**
 * Creates a pet. All calls with the same intent within 24 hours create one pet and return it as it was then; `isReplay`
 * is true if an earlier call created it.
 *
 * @throws ApiError 422 if the intent was used for another pet
 */
export const create = (newPet: NewPet, intent?: Intent): Promise<{ pet: Pet; isReplay: boolean }> =>
  withinBudget(async (options) => {
    const origin = { creation: randomUUID(), reservation: intent && intentDigest(intent) }
    const ids = origin.reservation
      ? reservedIds(reservationStore(origin.reservation, options), newPetId, fingerprintOf(newPet))
      : freshIds
    const { id, isReplay } = await createOnce(origin, ids, {
      write: (id) => write({ id, ...newPet }, origin, options),
      read: (id) => read(id, options),
    })
    return { pet: { id, ...newPet }, isReplay }
  })

/** Changes a pet, and returns it; `undefined` if no pet has that id. Of concurrent changes of a field, the last wins. */
export const update = (id: Int64, changes: PetChanges): Promise<Pet | undefined> =>
  withinBudget(async (options) => {
    const { status } = changes
    const item = await change(id, { ...changes, statusShard: status && statusShard(status, shardOf(id)) }, options)
    return item && toPet(item)
  })

/** Deletes a pet, and returns whether there was one. */
export const remove = (id: Int64): Promise<boolean> =>
  withinBudget(async (options) => {
    const deletion = randomUUID()
    const fields = { name: null, categoryId: null, status: null, shard: null, statusShard: null }
    const tombstone = { deletion, expiresAt: nowInSeconds() + TOMBSTONE_SECONDS }
    if (await change(id, { ...fields, ...tombstone }, options)) return true
    // The SDK resends a write whose response is lost, and then the pet is already gone.
    return (await read(id, options))?.deletion === deletion
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

/**
 * A pet as it is stored. A deleted pet keeps its id and origin until `expiresAt`, so that no retry of its creation brings
 * it back. It has no `shard`, and so is in no index.
 */
type Item = Pet & { id: number; shard: number } & Partial<Origin & { deletion: string; expiresAt: number }>

/** How long a deleted pet keeps its origin: longer than any reservation can live. */
const TOMBSTONE_SECONDS = 2 * VALID_SECONDS

const freshIds: Ids = {
  first: async () => ({ id: newPetId(), isFree: true }),
  extend: async () => true,
  next: async () => ({ id: newPetId(), isFree: true }),
}

const read = async (id: Int64, options: Options): Promise<Item | undefined> => {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: tableName('pets'), Key: { id }, ConsistentRead: true }),
    options,
  )
  return Item as Item | undefined // The document client types every item as `any`; only `write` creates them.
}

const write = (pet: NewPet & { id: number }, origin: Origin, options: Options): Promise<boolean> => {
  const shard = shardOf(pet.id)
  const Item = { ...pet, ...origin, shard, statusShard: pet.status && statusShard(pet.status, shard) }
  return putIf({ TableName: tableName('pets'), Item, ConditionExpression: 'attribute_not_exists(id)' }, options)
}

/** Sets attributes of a pet, or removes those that are `null`. Returns the item; `undefined` if there is no such pet. */
const change = async (id: Int64, attributes: object, options: Options): Promise<Item | undefined> => {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined)
  const [set, removed] = [given.filter(([, value]) => value !== null), given.filter(([, value]) => value === null)]
  const item = await updateIf(
    {
      TableName: tableName('pets'),
      Key: { id },
      UpdateExpression: [
        ...(set.length > 0 ? [`SET ${set.map(([name]) => `#${name} = :${name}`).join(', ')}`] : []),
        ...(removed.length > 0 ? [`REMOVE ${removed.map(([name]) => `#${name}`).join(', ')}`] : []),
      ].join(' '),
      ConditionExpression: 'attribute_exists(#shard)',
      ExpressionAttributeNames: Object.fromEntries([...given, ['shard']].map(([name]) => [`#${name}`, name])),
      ...(set.length > 0 && {
        ExpressionAttributeValues: Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
      }),
      ReturnValues: 'ALL_NEW',
    },
    options,
  )
  return item as Item | undefined // As above.
}

/** Reads the newest pets of a page from one shard. */
const query = async ({ status, limit, before }: Page, shard: number, options: Options): Promise<Item[]> => {
  const { Items } = await dynamodb.send(
    new QueryCommand({
      TableName: tableName('pets'),
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

const shardOf = (id: Int64): number => Number(id) % shardCount('writeShards')

const shardCount = (name: 'readShards' | 'writeShards'): number => {
  const count = Number(setting(name))
  // Without this check, a list would be empty.
  if (!(Number.isInteger(count) && count > 0)) throw new Error(`${settings[name].variable} must be a positive integer.`)
  return count
}

const toPet = ({ id, name, categoryId, status }: Item): Pet => ({ id, name, categoryId, ...(status && { status }) })
