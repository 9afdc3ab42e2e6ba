import type { Context } from 'aws-lambda'
import { handler as getPet } from '../../../functions/getPet.ts'
import * as pets from '../../../shared/data/pets.ts'
import type { Event } from '../../../shared/http.ts'
import { stringifyJson } from '../../../shared/model/json.ts'
import type { Pet } from '../../../shared/model/pet.ts'
import { operation } from '../../../shared/operation.ts'

const PET: Pet = { id: 373117652410368, name: 'Rex', categoryId: 7, status: 'available' }

const answer = (pet: Pet | undefined) => ({ statusCode: 200, body: stringifyJson(pet) })

const handlers = {
  /** getPet, and what is left of it without its pipeline. */
  whole: getPet,
  bare: async (event: Event) => answer(await pets.find(Number(event.pathParameters?.petId))),
  /** The pipeline around nothing, and nothing. */
  pipeline: operation('getPet', async () => ({ body: PET })),
  nothing: async (_event: Event) => answer(PET),
}

/** Which of them is called, the event says. They share all else: code that is there twice is compiled in two ways. */
export const handler = (event: Event, context: Context) => {
  const name = event.stageVariables?.handler as keyof typeof handlers // `measurePipeline` puts it there.
  return handlers[name](event, context)
}
