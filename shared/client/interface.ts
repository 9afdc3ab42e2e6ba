// Only types: the client contains no schemas, because the service validates its input. The package has generated types in
// place of this file (infra/client/build.ts), because these need valibot.
import type { Contract, Input } from '../contract.ts'

export type { Int64 } from '../model/int64.ts'
export type { NewPet, Pet, PetStatus, Pets } from '../model/pet.ts'

/** Which pets to list. */
export type ListQuery = Partial<Omit<Input<'listPets'>, 'cursor'>>

/** The method and the path of an operation. */
export type Route<Id extends keyof Contract> = Pick<Contract[Id], 'method' | 'path'>
