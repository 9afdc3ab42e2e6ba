import type { Handler } from '../../../infra/local/lambda.ts'
import type { Event } from '../../../shared/http.ts'
import type { Sent } from '../../support/http.ts'
import { ask, type Front, serve } from './front.ts'
import { exchange } from './wire.ts'

/** A function that answers with the event that it is given, as Lambda would have sent it: as JSON. */
const echo: Handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event) })

const serveEcho = (): Promise<Front> => serve({ listPets: echo, createPet: echo, getPet: echo })

/** The event that a function gets of a request. */
export const eventOf = async (sent: Sent): Promise<Event> => (await ask(await serveEcho(), sent)).body as Event

/** The event that a function gets of a request that is sent as it stands here. */
export const eventOfText = async (text: string): Promise<Event> => {
  const answer = await exchange(await serveEcho(), text)
  return answer.body as Event
}
