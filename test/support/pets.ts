import type { Pet } from '../../shared/pets/pet.ts'
import { storedPets } from '../../shared/pets/stored-pets.ts'

/** What a client sends to add a pet. */
export const newPet = (name = 'Rex') => ({ name, categoryId: 7, status: 'available' }) as const

/** A pet as the service returns it. */
export const petOf = (id: number, fields: Partial<Pet> = {}): Pet => ({
  id,
  ...newPet(),
  ...fields,
})

/** A pet as it is stored. */
export const storedPet = (id: number, fields: Partial<Pet> = {}) =>
  storedPets.upgradedItem({ ...petOf(id, fields), revision: 'x' })
