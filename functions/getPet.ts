import { operation } from '../shared/operation.ts'
import { pets } from '../shared/pets/pets.ts'

/** `GET /pets/{petId}`: reads one pet. */
export const handler = operation('getPet', ({ tx, params }) => pets.get(tx, params.petId))
