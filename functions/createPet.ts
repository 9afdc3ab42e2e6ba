import * as pets from '../shared/data/pets.ts'
import { operation } from '../shared/operation.ts'
import { basePath } from '../shared/request.ts'

/** `POST /pets`: adds an animal. */
export const handler = operation('createPet', async (newPet, event) => {
  const pet = await pets.create(newPet)
  return { body: pet, headers: { Location: `${basePath(event)}/pets/${pet.id}` } }
})
