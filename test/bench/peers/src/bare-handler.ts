import type { APIGatewayProxyEvent } from 'aws-lambda'
import { answer, notFound, type Pet, unauthorized } from './answers.ts'
import { isKnown } from './key-memory.ts'

type Store = {
  readKey: (digest: string) => Promise<unknown>
  readPet: (petId: string | undefined) => Promise<Pet | undefined>
}

/** As little as can do it. */
export const bareHandler =
  ({ readKey, readPet }: Store) =>
  async (event: APIGatewayProxyEvent) => {
    if (!(await isKnown(event.headers.Authorization, readKey))) return answer(401, unauthorized)
    const pet = await readPet(event.pathParameters?.petId)
    return pet ? answer(200, pet) : answer(404, notFound)
  }
