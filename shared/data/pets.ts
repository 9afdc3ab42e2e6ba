import type { IfMatch } from '../model/etag.ts'
import type { Intent } from '../model/idempotency-key.ts'
import type { Int64 } from '../model/int64.ts'
import type { NewPet, Pet, PetChanges, PetStatus } from '../model/pet.ts'
import * as collection from './collection.ts'

const pets: collection.Collection<Pet> = { table: 'pets', fields: ['id', 'name', 'categoryId', 'status'] }

/** Reads one pet (strongly consistent); `undefined` if no pet has that id. */
export const find = (id: Int64) => collection.find(pets, id)

/** Creates a pet: one for all calls with the same intent within 24 hours. */
export const create = (newPet: NewPet, intent?: Intent) => collection.create(pets, newPet, intent)

/** Changes a pet, and returns it; `undefined` if no pet has that id. A status of `null` is removed. */
export const change = (id: Int64, changes: PetChanges, ifMatch?: IfMatch) =>
  collection.change(pets, id, changes, ifMatch)

/** Deletes a pet, and returns whether there was one. */
export const remove = (id: Int64, ifMatch?: IfMatch) => collection.remove(pets, id, ifMatch)

/** Reads a page of the pets with a status, or of all pets, also those without one. */
export const list = ({ status, ...page }: Omit<collection.Page, 'where'> & { status?: PetStatus | undefined }) =>
  collection.list(pets, { ...page, where: { status } })
