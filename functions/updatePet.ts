import { pets } from '../shared/pets/pets.ts'
import { operation } from '../shared/pipeline/operation.ts'

/** `PATCH /pets/{petId}`: changes a pet. */
export const handler = operation('updatePet', ({ tx, params, body, ifMatch }) =>
  pets.change(tx, params.petId, body, ifMatch),
)
