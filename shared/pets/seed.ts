import * as v from 'valibot'
import { runTransaction } from '../data/run-transaction.ts'
import { Pet } from './pet.ts'
import { storedPets } from './stored-pets.ts'

/**
 * Adds the same pets each time, with the examples of the reference. Returns how many: 0 if another
 * process adds them.
 */
export const seedPets = async (): Promise<number> => {
  const examples = v.getExamples(Pet)
  for (const pet of examples) if (!(await restoreMissing(pet))) return 0
  const names = NAMES.trim().split(/\s+/)
  // One after the other: a list returns them in the reverse order.
  for (const [i, name] of names.entries()) {
    const pet = { name, categoryId: (i % 5) + 1, status: 'available' } as const
    await runTransaction((tx) => storedPets.create(tx, pet))
  }
  return examples.length + names.length
}

/** Stores a pet with the id that it has. Returns whether it was missing. */
const restoreMissing = (pet: Pet): Promise<boolean> =>
  runTransaction(async (tx) => {
    if (await storedPets.find(tx, pet.id)) return false
    storedPets.putWithId(tx, pet)
    return true
  })

// A pet of each category, 1 to 5, in turn: a dog, a cat, a bird, a rabbit and a fish.
const NAMES = `
  Rex Mia Kiwi Flopsy Nemo Bella Tiger Coco Thumper Bubbles Bruno Cleo Polly Clover Goldie
  Luna Simba Sunny Snowball Finn Max Felix Rio Hazel Dory Daisy Lucy Pepper Cotton Marlin
  Rocky Oscar Sky Nibbles Coral Nala Minka Mango Bramble Neptune Buddy Leo Tweety Poppy Pearl
  Ruby Misty Jade Oreo`
