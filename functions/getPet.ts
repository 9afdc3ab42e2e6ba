import { pets } from '../shared/pets/pets.ts'
import { operation } from '../shared/pipeline/operation.ts'

/** `GET /pets/{petId}`: reads one pet. */
export const handler = operation('getPet', ({ tx, params }) => pets.get(tx, params.petId))
