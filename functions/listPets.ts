import { operation } from '../shared/operation.ts'
import { pets } from '../shared/pets/pets.ts'

/** `GET /pets`: lists pets, newest first. */
export const handler = operation('listPets', ({ query }) => pets.list(query))
