import { operation } from '../shared/operation.ts'
import { pets } from '../shared/pets/pets.ts'

/** `POST /pets`: adds a pet. */
export const handler = operation('createPet', ({ body, intent }) => pets.create(body, intent))
