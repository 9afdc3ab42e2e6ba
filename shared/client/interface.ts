import type { Contract, Input } from '../contract.ts'

// Types alone: a client needs no schemas, as the service checks what it is sent. In the package, infra/client writes
// this file anew from the OpenAPI document, so that who installs it needs no valibot.

export type { Int64 } from '../model/int64.ts'
export type { NewPet, Pet, PetStatus, Pets } from '../model/pet.ts'

/** Which pets to list. */
export type ListQuery = Partial<Omit<Input<'listPets'>, 'cursor'>>

/** Where an operation is. */
export type Place<Id extends keyof Contract> = Pick<Contract[Id], 'method' | 'path'>
