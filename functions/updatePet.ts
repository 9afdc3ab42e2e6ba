import { pets } from '../shared/data/pets.ts'
import { operation } from '../shared/operation.ts'

/** `PATCH /pets/{petId}`: changes a pet. */
export const handler = operation('updatePet', ({ params, body, ifMatch }) => pets.change(params.petId, body, ifMatch))
