import { expect } from 'vitest'
import type { Event } from '../../shared/http.ts'
import { deprecated, responseTo, unavailable } from '../functions/responses.ts'
import { createEvent, getEvent, listEvent } from './events.ts'
import { storePet } from './stored.ts'

const rex = { id: 373117652410368, name: 'Rex', categoryId: 7, status: 'sold' }
await storePet({ ...rex, statusShard: 'sold#0', creation: 'x' })

/** A request of every operation, a create with an Idempotency-Key and one without. */
export const everyRequest = (name: string, apiKey: string): Event[] => [
  listEvent({ status: 'sold' }, apiKey),
  createEvent(name, apiKey),
  createEvent(name, apiKey, 'order-1742'),
  getEvent(rex.id, apiKey),
]

/** What they are answered when all is well. */
export const everyAnswer = (name: string) => {
  const created = { status: 201, body: expect.objectContaining({ name, categoryId: 7, status: 'available' }) }
  const served = [{ status: 200, body: [rex] }, created, created, { status: 200, body: rex }]
  return served.map((each) => expect.objectContaining(each))
}

/** What a request is answered while the database cannot be reached. */
export const unavailableTo = (event: Event) => {
  const own = event.resource === '/pets/{petId}' ? deprecated : {}
  return responseTo(event, { ...unavailable, headers: { ...unavailable.headers, ...own } })
}
