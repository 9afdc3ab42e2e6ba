import { pets } from '../shared/pets/pets.ts'
import { operation } from '../shared/pipeline/operation.ts'

/** `POST /pets`: adds a pet. */
export const handler = operation('createPet', ({ tx, body }) => pets.create(tx, body))
