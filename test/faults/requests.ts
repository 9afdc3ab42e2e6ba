import type { Event } from '../../shared/request.ts'
import type { Container } from './container.ts'
import { createEvent } from './events.ts'
import { newKeyOf } from './stored.ts'

/** What a client wants: an animal that is told from others by its name. It asks for it as often as it takes. */
export type Wish = { clientId: string; name: string; idempotencyKey?: string }

/** A request as a function got it, and the answer. */
export type Exchange = { event: Event; response: Awaited<ReturnType<Container['call']>> }

/** Asks for an animal, with a new API key of the client's, which no function remembers. */
export const ask = async ({ call }: Container, { clientId, name, idempotencyKey }: Wish): Promise<Exchange> => {
  const event = createEvent(name, await newKeyOf(clientId), idempotencyKey)
  return { event, response: await call(event) }
}
