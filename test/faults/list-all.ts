import { fixture } from '../functions/call.ts'
import type { Container } from './container.ts'

/** All animals that the service lists, page by page. */
export const listAll = async ({ call }: Container): Promise<unknown[]> => {
  const pets: unknown[] = []
  let query: Record<string, string> | undefined = { limit: '100' }
  while (query) {
    const multiValueQueryStringParameters = Object.fromEntries(
      Object.entries(query).map(([name, value]) => [name, [value]]),
    )
    const { body, headers } = await call({ ...fixture('listPets-no-parameters'), multiValueQueryStringParameters })
    pets.push(...body)
    const next: string | undefined = /\?(.*)>; rel="next"/.exec(headers.Link ?? '')?.[1]
    query = next === undefined ? undefined : Object.fromEntries(new URLSearchParams(next))
  }
  return pets
}
