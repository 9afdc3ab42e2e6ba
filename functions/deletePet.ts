import { pets } from '../shared/data/pets.ts'
import { operation } from '../shared/operation.ts'

/** `DELETE /pets/{petId}`: deletes a pet. */
export const handler = operation('deletePet', ({ params, ifMatch }) => pets.remove(params.petId, ifMatch))
