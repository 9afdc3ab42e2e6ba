import * as v from 'valibot'
import type { Transaction } from '../data/transaction.ts'
import { storedPets } from '../hold.ts'
import { Pet } from './pet.ts'

/** Adds the same pets each time, with the examples of the reference. */
export const seedPets = async (tx: Transaction): Promise<string> => {
  const examples = v.getExamples(Pet)
  for (const pet of examples) storedPets.restore(tx, pet)
  const names = NAMES.trim().split(/\s+/)
  // One after the other: a list returns them in the reverse order.
  for (const [i, name] of names.entries())
    await storedPets.create(tx, { name, categoryId: (i % 5) + 1, status: 'available' })
  return `${examples.length + names.length} pets`
}

// A pet of each category, 1 to 5, in turn: a dog, a cat, a bird, a rabbit and a fish.
const NAMES = `
  Rex Mia Kiwi Flopsy Nemo Bella Tiger Coco Thumper Bubbles Bruno Cleo Polly Clover Goldie
  Luna Simba Sunny Snowball Finn Max Felix Rio Hazel Dory Daisy Lucy Pepper Cotton Marlin
  Rocky Oscar Sky Nibbles Coral Nala Minka Mango Bramble Neptune Buddy Leo Tweety Poppy Pearl
  Ruby Misty Jade Oreo`
