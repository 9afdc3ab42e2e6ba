import * as v from 'valibot'
import { collection } from '../data/collection.ts'
import { Id } from '../model/id.ts'
import { Pet } from './pet.ts'

/**
 * A pet as it is stored: with the open `order` that holds it, which clients never see. The title
 * appears in "No pet has the id 1."
 */
const StoredPet = v.pipe(v.object({ ...Pet.entries, order: v.optional(Id) }), v.title('Pet'))
export type StoredPet = v.InferOutput<typeof StoredPet>

/** The pets as they are stored, without their rules. */
export const storedPets = collection('pets', StoredPet)
