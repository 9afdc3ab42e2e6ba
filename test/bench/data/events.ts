import { readFileSync } from 'node:fs'
import type { Event } from '../../../shared/http.ts'

/** A request for a page of pets. */
export const listEvent = (query: Record<string, string>): Event => ({
  ...fixture('listPets-no-parameters'),
  queryStringParameters: query,
  multiValueQueryStringParameters: listsOf(query),
})

/** A request to add a pet. */
export const createEvent = (headers: Record<string, string> = {}): Event => {
  const event = fixture('createPet-created')
  return {
    ...event,
    headers: { ...event.headers, ...headers },
    multiValueHeaders: { ...event.multiValueHeaders, ...listsOf(headers) },
  }
}

/** A request to read a pet. */
export const readEvent = (id: number): Event => ({ ...fixture('getPet-found'), pathParameters: { petId: String(id) } })

const fixture = (name: string): Event =>
  JSON.parse(readFileSync(new URL(`../../events/${name}.json`, import.meta.url), 'utf8'))

const listsOf = (values: Record<string, string>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]))
