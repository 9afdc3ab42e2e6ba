import { pets } from '../shared/pets/pets.ts'
import { operation } from '../shared/pipeline/operation.ts'

/** `GET /pets`: lists pets, newest first. */
export const handler = operation('listPets', ({ tx, page }) => pets.list(tx, page))
