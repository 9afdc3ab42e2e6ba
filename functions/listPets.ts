import { pets } from '../shared/data/pets.ts'
import { operation } from '../shared/operation.ts'

/** `GET /pets`: lists pets, newest first. */
export const handler = operation('listPets', ({ query }) => pets.list(query))
