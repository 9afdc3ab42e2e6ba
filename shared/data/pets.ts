import { randomUUID } from 'node:crypto'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { Int64 } from '../model/int64.ts'
import type { NewPet, Pet, PetStatus, Pets } from '../model/pet.ts'
import { newPetId } from '../model/pet-id.ts'
import { dynamodb, withinBudget } from './dynamodb.ts'
import { setting } from './settings.ts'
import { statusShard, statusShards } from './status-shards.ts'

/** Reads one animal; `undefined` where none has that id. Sees every animal that was created before. */
export const find = (id: Int64): Promise<Pet | undefined> =>
  withinBudget(async (options) => {
    const item = await read(id, options)
    return item && toPet(item)
  })

/**
 * Adds an animal, once: the SDK sends a put again when its answer is lost, although it may have taken effect. So each
 * animal carries the token of its creation, by which a refused put finds out whose animal is there.
 */
export const create = (newPet: NewPet): Promise<Pet> =>
  withinBudget(async (options) => {
    const creation = randomUUID()
    for (;;) {
      const pet = { id: newPetId(), ...newPet }
      if (await write(pet, creation, options)) return pet
      // Ours: written, its answer lost. Not ours: another process drew the same id in the same millisecond.
      const there = await read(pet.id, options)
      if (there?.creation === creation) return pet
    }
  })

/**
 * A page of animals, newest first: of one status, or of all (those without one included), below the id `before`.
 * `next` is what `before` is for the next page; it is absent on the last. Only the index is read, which is eventually
 * consistent, and the cost of a page does not grow with the catalogue.
 */
export const list = ({ status, limit, before }: { status?: PetStatus; limit: number; before?: number }) =>
  withinBudget(async (options): Promise<{ pets: Pets; next: number | undefined }> => {
    // One more than asked for tells whether this page is the last. A hundred animals are at most 0.42 MB (names of 4 KB),
    // and DynamoDB cuts a query at 1 MB: so one query a shard is all.
    const queries = statusShards(status).map((shard) => query(shard, limit + 1, before, options))
    const found = (await Promise.all(queries)).flat().sort((a, b) => b.id - a.id)
    const page = found.slice(0, limit)
    return { pets: page.map(toPet), next: found.length > limit ? page.at(-1)?.id : undefined }
  })

type Options = { abortSignal: AbortSignal }
type Item = NewPet & { id: number; creation: string }

const read = async (id: Int64, options: Options): Promise<Item | undefined> => {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: setting('petsTable'), Key: { id }, ConsistentRead: true }),
    options,
  )
  return Item as Item | undefined // The document client types every item as `any`; only `write` makes them.
}

const write = async (pet: NewPet & { id: number }, creation: string, options: Options): Promise<boolean> => {
  const Item = { ...pet, creation, statusShard: statusShard(pet.status, pet.id) }
  try {
    await dynamodb.send(
      new PutCommand({ TableName: setting('petsTable'), Item, ConditionExpression: 'attribute_not_exists(id)' }),
      options,
    )
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
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
