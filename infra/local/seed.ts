import { PutCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { dynamodb } from '../../shared/data/dynamodb.ts'
import * as pets from '../../shared/data/pets.ts'
import { tableName } from '../../shared/data/tables.ts'
import { Pet, type PetStatus } from '../../shared/model/pet.ts'

/**
 * Adds 51 pets, the same ones each time, if the store is empty: one of them is the example of the API reference, with its
 * id. Returns how many it has added.
 */
export const seed = async (): Promise<number> => {
  if ((await pets.list({ limit: 1 })).pets.length > 0) return 0
  for (const pet of v.getExamples(Pet)) {
    const Item = { ...pet, shard: 0, statusShard: `${pet.status}#0` } // There is one shard locally.
    await dynamodb.send(new PutCommand({ TableName: tableName('pets'), Item }))
  }
  // One after the other: a list has them in the reverse of this order.
  for (const pet of examples) await pets.create(pet)
  return 1 + examples.length
}

// Of each category, 1 to 5: a dog, a cat, a bird, a rabbit and a fish.
const NAMES = `
  Rex Mia Kiwi Flopsy Nemo Bella Tiger Coco Thumper Bubbles Bruno Cleo Polly Clover Goldie Luna Simba Sunny Snowball Finn
  Max Felix Rio Hazel Dory Daisy Lucy Pepper Cotton Marlin Rocky Oscar Sky Nibbles Coral Nala Minka Mango Bramble Neptune
  Buddy Leo Tweety Poppy Pearl Ruby Misty Jade Oreo Splash`
const STATUSES: PetStatus[] = ['available', 'available', 'sold', 'available', 'pending', 'sold', 'available']

const examples = NAMES.trim()
  .split(/\s+/)
  .map((name, i) => ({ name, categoryId: (i % 5) + 1, status: STATUSES[i % STATUSES.length] }))
