import { operation } from '../shared/operation.ts'
import { pets } from '../shared/pets/pets.ts'

/** `PATCH /pets/{petId}`: changes a pet. */
export const handler = operation('updatePet', ({ params, body, ifMatch }) => pets.change(params.petId, body, ifMatch))
