import { pets } from '../shared/pets/pets.ts'
import { operation } from '../shared/pipeline/operation.ts'

/** `DELETE /pets/{petId}`: deletes a pet. */
export const handler = operation('deletePet', ({ tx, params, ifMatch }) =>
  pets.remove(tx, params.petId, ifMatch),
)
