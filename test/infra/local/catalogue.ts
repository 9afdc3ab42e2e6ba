import { send } from '../../support/http.ts'
import type { LocalServer } from '../../support/server.ts'

/** A pet in a JSON response. */
export type Pet = { id: number; name: string; categoryId: number; status?: string }

/** The headers of a request with the API key of a server. */
export const headersOf = ({ apiKey }: Pick<LocalServer, 'apiKey'>) => ({
  Authorization: `Bearer ${apiKey}`,
  'Content-Type': 'application/json',
})

/** Lists all pets, page by page. */
export const listAll = async (server: LocalServer): Promise<Pet[]> => {
  const pets: Pet[] = []
  for (let path = '/pets?limit=100'; path; ) {
    const { body, headers } = await send(server.baseUrl, { path, headers: headersOf(server) })
    pets.push(...(body as Pet[]))
    path = /\/v1(\/[^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1] ?? ''
  }
  return pets
}
