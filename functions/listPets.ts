import { operation } from '../shared/operation.ts'
import { pets } from '../shared/pets/pets.ts'

/** `GET /pets`: lists pets, newest first. */
export const handler = operation('listPets', ({ tx, query }) => pets.list(tx, query))
