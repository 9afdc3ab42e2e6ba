import type { Event } from '../../../shared/http.ts'
import { eventOf } from '../../support/events.ts'

/** A request for a page of pets. */
export const listEvent = (query: Record<string, string>): Event => eventOf('listPets-no-parameters', { query })

/** A request to add a pet. */
export const createEvent = (headers: Record<string, string> = {}): Event => eventOf('createPet-created', { headers })

/** A request to read a pet. */
export const readEvent = (id: number): Event => eventOf('getPet-found', { petId: String(id) })
