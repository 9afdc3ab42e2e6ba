import * as pets from '../../../shared/data/pets.ts'
import { stringifyJson } from '../../../shared/model/json.ts'
import type { Event } from '../../../shared/request.ts'

/** What is left of `getPet` without its pipeline: what that adds is measured by it. */
export const handler = async (event: Event) => ({
  statusCode: 200,
  body: stringifyJson(await pets.find(Number(event.pathParameters?.petId))),
})
