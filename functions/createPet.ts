import { pets } from '../shared/data/pets.ts'
import { operation } from '../shared/operation.ts'

/** `POST /pets`: adds a pet. */
export const handler = operation('createPet', ({ body, intent }) => pets.create(body, intent))
