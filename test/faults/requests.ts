import type { Event } from '../../shared/http.ts'
import type { Container } from './container.ts'
import { createEvent } from './events.ts'
import { newKeyOf } from './stored.ts'

/** What a client wants: a pet that is told from others by its name. It asks for it as often as it takes. */
export type Wish = { clientId: string; name: string; idempotencyKey?: string }

/** A request as a function got it, and the answer. */
export type Exchange = { event: Event; response: Awaited<ReturnType<Container['call']>>; milliseconds: number }

const MOST_ASKED = 10
const SHORTEST_LIMIT_MS = 500

/**
 * Whether a request was answered 503 because one of the time limits for the database was over. It may then have met no
 * fault of the proxy's: a machine that is busy with other work is slow as well.
 */
export const ranOutOfTime = ({ response, milliseconds }: Exchange): boolean =>
  response.status === 503 && milliseconds >= SHORTEST_LIMIT_MS

/** Sends a request. */
export const exchange = async ({ call }: Container, event: Event): Promise<Exchange> => {
  const started = performance.now()
  const response = await call(structuredClone(event))
  return { event, response, milliseconds: performance.now() - started }
}

/** Sends a request until it is answered in time. */
export const exchangeInTime = async (container: Container, event: Event): Promise<Exchange['response']> => {
  let last = await exchange(container, event)
  for (let asked = 1; ranOutOfTime(last) && asked < MOST_ASKED; asked++) last = await exchange(container, event)
  return last.response
}

/** Asks for a pet, with a new API key of the client's, which no function remembers. */
export const ask = async (container: Container, { clientId, name, idempotencyKey }: Wish): Promise<Exchange> =>
  exchange(container, createEvent(name, await newKeyOf(clientId), idempotencyKey))

/** Asks for a pet until it is there. */
export const askUntilCreated = async (container: Container, wish: Wish): Promise<Exchange[]> => {
  const exchanges = [await ask(container, wish)]
  while (exchanges.at(-1)?.response.status !== 201 && exchanges.length < MOST_ASKED)
    exchanges.push(await ask(container, wish))
  return exchanges
}
