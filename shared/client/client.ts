import type { ClientOptions } from './client-options.ts'
import type { PetOperations } from './pet-operations.ts'
import { petsOf } from './pets.ts'
import { sender } from './send.ts'

// This is what the package exports.
export type { ClientOptions } from './client-options.ts'
export type { Int64, ListQuery, NewPet, Pet, PetStatus, Pets } from './interface.ts'
export type { CallOptions, PetList, PetOperations } from './pet-operations.ts'
export { PetStoreError } from './pet-store-error.ts'

/** The pet store, as a program sees it. */
export type Client = { pets: PetOperations }

/** A client of the API at `baseUrl`. It runs in browsers and in Node.js alike, and keeps the API key to itself. */
export const createClient = (options: ClientOptions): Client => ({ pets: petsOf(sender(options)) })
