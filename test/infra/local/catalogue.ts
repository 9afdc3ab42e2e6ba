import { once } from 'node:events'
import { send } from '../../support/http.ts'
import type { LocalServer } from '../../support/server.ts'

/** A pet as JSON has it. */
export type Pet = { id: number; name: string; categoryId: number; status?: string }

/** The headers of a request with the server's API key. */
export const headersOf = ({ apiKey }: Pick<LocalServer, 'apiKey'>) => ({
  Authorization: `Bearer ${apiKey}`,
  'Content-Type': 'application/json',
})

/** Adds pets, eight at a time, and kills the server in the midst of it, as soon as `enough` are answered. */
export const createUntilKilled = async (server: LocalServer, enough: number): Promise<unknown[]> => {
  const exited = once(server.process, 'exit')
  const answered: unknown[] = []
  const body = '{"name":"Mia","categoryId":1,"status":"sold"}'
  const create = async () => {
    for (;;) {
      const response = await send(server.baseUrl, { method: 'POST', path: '/pets', headers: headersOf(server), body })
      if (response.status === 201) answered.push(response.body)
      if (answered.length >= enough) server.process.kill('SIGKILL')
    }
  }
  await Promise.allSettled([1, 2, 3, 4, 5, 6, 7, 8].map(create))
  await exited
  return answered
}

/** All pets, page by page. */
export const listAll = async (server: LocalServer): Promise<Pet[]> => {
  const pets: Pet[] = []
  for (let path = '/pets?limit=100'; path; ) {
    const { body, headers } = await send(server.baseUrl, { path, headers: headersOf(server) })
    pets.push(...(body as Pet[]))
    path = /\/v1(\/[^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1] ?? ''
  }
  return pets
}
