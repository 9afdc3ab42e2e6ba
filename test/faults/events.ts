import type { Event } from '../../shared/http.ts'
import { fixture } from '../functions/call.ts'

/** A create of a pet that is told from others by its name; with an Idempotency-Key where `key` is given. */
export const createEvent = (name: string, apiKey: string, key?: string): Event => {
  const event = withHeader(fixture('createPet-created'), 'Authorization', `Bearer ${apiKey}`)
  event.body = JSON.stringify({ name, categoryId: 7, status: 'available' })
  return key === undefined ? event : withHeader(event, 'Idempotency-Key', key)
}

/** A read of one pet. */
export const getEvent = (id: number, apiKey: string): Event => {
  const event = withHeader(fixture('getPet-found'), 'Authorization', `Bearer ${apiKey}`)
  return { ...event, pathParameters: { petId: String(id) } }
}

/** A list of pets. */
export const listEvent = (query: Record<string, string>, apiKey: string): Event => {
  const event = withHeader(fixture('listPets-no-parameters'), 'Authorization', `Bearer ${apiKey}`)
  const values = Object.entries(query).map(([name, value]) => [name, [value]])
  return { ...event, multiValueQueryStringParameters: Object.fromEntries(values) }
}

const withHeader = (event: Event, name: string, value: string): Event => ({
  ...event,
  headers: { ...event.headers, [name]: value },
  multiValueHeaders: { ...event.multiValueHeaders, [name]: [value] },
})
