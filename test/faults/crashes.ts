import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { headersOf } from '../infra/local/catalogue.ts'
import { send } from '../support/http.ts'
import { type LocalServer, startServer } from '../support/server.ts'

/** When a server dies: at which of its writes, and at which moment of it. */
export type Death = { write: number; when: 'before' | 'meanwhile' | 'after' }

/** A pet that a client asks for until it is there: how often it asked, and what it was told, in JSON. */
export type Wish = { name: string; requests: number; told: string[] }

const CLIENTS = 8
const PRELOADED = fileURLToPath(new URL('die-at-write.ts', import.meta.url))

/** Serves clients from a folder by one server after the other, each of which dies; tells what the clients asked for. */
export const crash = async (folder: string, deaths: Death[]): Promise<Wish[]> => {
  const wishes: Wish[] = []
  const clients = Array.from({ length: CLIENTS }, () => newClient(wishes))
  for (const { write, when } of deaths) {
    const env = { NODE_OPTIONS: `--import=${PRELOADED}`, DIE_AT_WRITE: String(write), DIE_WHEN: when }
    const server = await startServer(['--data', folder], env)
    const exited = once(server.process, 'exit')
    await Promise.allSettled(clients.map((askOn) => askOn(server)))
    const [, signal] = await exited
    if (signal !== 'SIGKILL') throw new Error(`A server ended by itself: ${server.output()}`)
  }
  return wishes
}

/** Asks for a pet, until it is there or `most` times. Throws where the server dies before that. */
export const askUntilTold = async (server: LocalServer, wish: Wish, most = 10): Promise<void> => {
  wish.requests++
  const headers = { ...headersOf(server), 'Idempotency-Key': wish.name }
  const body = JSON.stringify({ name: wish.name, categoryId: 7 })
  const { status, text } = await send(server.baseUrl, { method: 'POST', path: '/pets', headers, body })
  // On a machine that is busy with other work, the database can seem slow.
  if (status === 503 && most > 1) return askUntilTold(server, wish, most - 1)
  wish.told.push(status === 201 ? text : `${status} ${text}`)
}

/** Asks for one pet after the other, and for one until it is there: first for the one that a server died over. */
const newClient = (wishes: Wish[]) => {
  let wish: Wish | undefined
  return async (server: LocalServer): Promise<never> => {
    for (;;) {
      wish ??= newWish(wishes)
      await askUntilTold(server, wish)
      wish = undefined
    }
  }
}

const newWish = (wishes: Wish[]): Wish => {
  const wish = { name: `Rex-${wishes.length + 1}`, requests: 0, told: [] }
  wishes.push(wish)
  return wish
}
