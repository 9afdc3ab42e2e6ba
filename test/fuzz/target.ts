import { send } from '../support/http.ts'
import type { LocalServer } from '../support/server.ts'
import type { Ask } from './check-success.ts'
import type { Creations } from './creations.ts'
import { patiently } from './patiently.ts'
import type { Request } from './request.ts'

/** A server under test, with a pet that is there, a cursor of its own making, and what came of the requests so far. */
export type Target = {
  server: LocalServer
  origin: string
  ask: Ask
  pet: { id: string; text: string }
  cursor: string
  statuses: Record<string, number>
  /** How often the server asked for a request again, and what counts that. */
  busy: () => number
  onBusy: () => void
  creations: Creations
}

/** Prepares a server for requests that want something to be there. */
export const targetAt = async (server: LocalServer): Promise<Target> => {
  const { origin } = new URL(server.baseUrl)
  const headers = { Authorization: `Bearer ${server.apiKey}`, 'Content-Type': 'application/json' }
  let busy = 0
  const onBusy = () => void busy++
  const ask: Ask = (path) => patiently(() => send(origin, { path, headers }), onBusy)
  const add = (body: string) =>
    patiently(() => send(origin, { method: 'POST', path: '/v1/pets', headers, body }), onBusy)
  await add('{"name":"Tom","categoryId":-9223372036854775808}')
  const { text } = await add('{"name":"Rex","categoryId":9223372036854775807,"status":"sold"}')
  const first = await ask('/v1/pets?limit=1')
  const [, cursor = ''] = /cursor=([\w-]+)/.exec(first.headers.link ?? '') ?? []
  const [id = ''] = /\d+/.exec(text) ?? []
  return {
    server,
    origin,
    ask,
    pet: { id, text },
    cursor,
    statuses: {},
    busy: () => busy,
    onBusy,
    creations: new Map(),
  }
}

/** A request to the server, with what is there in the place of `{id}` and `{cursor}`. */
export const placed = <R extends Request>(request: R, { pet, cursor }: Target): R => {
  const place = (text: string) => text.replaceAll('{id}', pet.id).replaceAll('{cursor}', cursor)
  return 'text' in request ? { ...request, text: place(request.text) } : { ...request, target: place(request.target) }
}
