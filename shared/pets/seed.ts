import * as v from 'valibot'
import { runTransaction } from '../data/run-transaction.ts'
import { Pet } from './pet.ts'
import { storedPets } from './stored-pets.ts'

/** Adds the same pets each time, with the examples of the reference. Returns how many. */
export const seedPets = async (): Promise<number> => {
  const examples = v.getExamples(Pet)
  for (const pet of examples) await runTransaction(async (tx) => storedPets.putWithId(tx, pet))
  // One after the other: a list returns them in the reverse order.
  for (const [i, name] of NAMES.entries()) {
    const pet = { name, categoryId: (i % 5) + 1, status: 'available' } as const
    await runTransaction((tx) => storedPets.create(tx, pet))
  }
  return examples.length + NAMES.length
}

// A pet of each category, 1 to 5, in turn: a dog, a cat, a bird, a rabbit and a fish.
const NAMES = (
  'Rex Mia Kiwi Flopsy Nemo Bella Tiger Coco Thumper Bubbles Bruno Cleo Polly Clover Goldie ' +
  'Luna Simba Sunny Snowball Finn'
).split(' ')
