import type * as v from 'valibot'
import { Int64Text } from '../../shared/model/int64.ts'
import { type NewPet, NewPet as NewPetSchema, Pet, Pets } from '../../shared/model/pet.ts'
import type { Json } from './schemas.ts'

const newPet: NewPet = { name: 'Rex', categoryId: 7, status: 'available' }
const pet: Pet = { id: 373212905455903, ...newPet }

const examples = new Map<v.GenericSchema, unknown>([
  [NewPetSchema, newPet],
  [Pet, pet],
  [Int64Text, pet.id],
  [Pets, [{ id: 373212905520046, name: 'Tom', categoryId: 9007199254740991 }, pet]],
])

/** An example of a value, where there is one. */
export const exampleOf = (schema: v.GenericSchema): Json =>
  examples.has(schema) ? { example: examples.get(schema) } : {}
