import { Pet } from '../model/pet.ts'
import { collection } from './collection.ts'

/** The pets of the store. */
export const pets = collection('pets', Pet)
