import { pets } from '../shared/data/pets.ts'
import { operation } from '../shared/operation.ts'

/** `GET /pets/{petId}`: reads one pet. */
export const handler = operation('getPet', ({ params }) => pets.get(params.petId))
