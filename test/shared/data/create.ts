import * as pets from '../../../shared/data/pets.ts'
import type { NewPet, Pet } from '../../../shared/model/pet.ts'

/** Adds a pet, as a request without an idempotency key does. */
export const create = async (newPet: NewPet): Promise<Pet> => (await pets.create(newPet)).pet
