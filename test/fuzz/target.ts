import { send } from '../support/http.ts'
import type { LocalServer } from '../support/server.ts'
import type { Ask } from './check-success.ts'
import type { Creations } from './creations.ts'
import type { Request } from './request.ts'

/** A server under test, with an animal that is there, a cursor of its own making, and what came of the requests so far. */
export type Target = {
  server: LocalServer
  origin: string
  ask: Ask
  animal: { id: string; text: string }
  cursor: string
  statuses: Record<string, number>
  creations: Creations
}

/** Prepares a server for requests that want something to be there. */
export const targetAt = async (server: LocalServer): Promise<Target> => {
  const { origin } = new URL(server.baseUrl)
  const headers = { Authorization: `Bearer ${server.apiKey}`, 'Content-Type': 'application/json' }
  const ask: Ask = (path) => send(origin, { path, headers })
  const add = (body: string) => send(origin, { method: 'POST', path: '/v1/pets', headers, body })
  await add('{"name":"Tom","categoryId":-9223372036854775808}')
  const { text } = await add('{"name":"Rex","categoryId":9223372036854775807,"status":"sold"}')
  const first = await ask('/v1/pets?limit=1')
  const [, cursor = ''] = /cursor=([\w-]+)/.exec(first.headers.link ?? '') ?? []
  const [id = ''] = /\d+/.exec(text) ?? []
  return { server, origin, ask, animal: { id, text }, cursor, statuses: {}, creations: new Map() }
}

/** A request to the server, with what is there in the place of `{id}` and `{cursor}`. */
export const placed = <R extends Request>(request: R, { animal, cursor }: Target): R => {
  const place = (text: string) => text.replaceAll('{id}', animal.id).replaceAll('{cursor}', cursor)
  return 'text' in request ? { ...request, text: place(request.text) } : { ...request, target: place(request.target) }
}
