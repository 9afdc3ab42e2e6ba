import { LOCAL_API_KEY } from '../../infra/local/announcement.ts'
import type { Container } from './container.ts'
import { listEvent } from './events.ts'

/** All pets that the service lists, page by page. */
export const listAll = async ({ call }: Container): Promise<unknown[]> => {
  const pets: unknown[] = []
  let query: Record<string, string> | undefined = { limit: '100' }
  while (query) {
    const { body, headers } = await call(listEvent(query, LOCAL_API_KEY))
    pets.push(...body)
    const next: string | undefined = /\?(.*)>; rel="next"/.exec(headers.Link ?? '')?.[1]
    query = next === undefined ? undefined : Object.fromEntries(new URLSearchParams(next))
  }
  return pets
}
