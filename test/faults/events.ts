import type { Event } from '../../shared/http.ts'
import { eventOf } from '../support/events.ts'

/** A create of a pet that is told from others by its name; with an Idempotency-Key where `key` is given. */
export const createEvent = (name: string, apiKey: string, key?: string): Event =>
  eventOf('createPet-created', {
    headers: { Authorization: `Bearer ${apiKey}`, 'Idempotency-Key': key },
    body: JSON.stringify({ name, categoryId: 7, status: 'available' }),
  })

/** A read of one pet. */
export const getEvent = (id: number, apiKey: string): Event =>
  eventOf('getPet-found', { headers: { Authorization: `Bearer ${apiKey}` }, petId: String(id) })

/** A list of pets. */
export const listEvent = (query: Record<string, string>, apiKey: string): Event =>
  eventOf('listPets-no-parameters', { headers: { Authorization: `Bearer ${apiKey}` }, query })
