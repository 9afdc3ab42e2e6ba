import { operation } from '../shared/operation.ts'
import { pets } from '../shared/pets/pets.ts'

/** `POST /pets`: adds a pet. */
export const handler = operation('createPet', ({ tx, body }) => pets.create(tx, body))
