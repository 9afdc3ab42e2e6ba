import { describe, expect, test } from 'vitest'
import type { PetStatus } from '../../shared/pets/pet.ts'
import { putItem, storedItems } from '../support/database.ts'
import { errorResponse } from '../support/events.ts'
import { storedPet } from '../support/pets.ts'
import { casesOf, eventFrom, expectResponses, run, type Way } from './cases.ts'
import { faultKinds } from './fault-kinds.ts'

// What orders and pets promise together, whatever fails: a pet is promised once. Each open order
// holds its pet, which is pending, and a pet holds nothing else.

type Stored = Record<string, unknown> | undefined

/** What does not match: open orders as `pet status order`, and pets that hold an order. */
const unmatched = (pets: Stored[], orders: Stored[]): string[] => {
  const open = orders.flatMap((order) =>
    order?.complete === false ? [`${order.petId} pending ${order.id}`] : [],
  )
  const held = pets.flatMap((pet) => (pet?.order ? [`${pet.id} ${pet.status} ${pet.order}`] : []))
  return [
    ...open.filter((each) => !held.includes(each)),
    ...held.filter((each) => !open.includes(each)),
  ]
}

const aPet = (id: number, status: PetStatus, order?: number) => ({
  ...storedPet(id, { status }),
  ...(order && { order }),
})
const anOrder = (id: number, petId = id) => ({
  id,
  petId,
  complete: false,
  shard: 0,
  revision: 'x',
})

describe('on the wire', () => {
  const storeOrder = async (id: number) => {
    await putItem('orders', anOrder(id))
    await putItem('pets', aPet(id, 'pending', id))
  }
  const [KEY, ORDER, PET] = ['GetItem apiKeys', 'GetItem orders', 'GetItem pets']
  const RESERVATION = 'GetItem idempotencyKeys'
  const PLACE = 'TransactWriteItems idempotencyKeys pets orders'
  const RESERVE = 'TransactWriteItems idempotencyKeys'
  const [END, END_ONCE] = [
    'TransactWriteItems orders pets',
    'TransactWriteItems idempotencyKeys orders pets',
  ]
  const store = (id: number) => putItem('pets', { ...aPet(id, 'available'), revision: 'w' })
  const place: Way['event'] = (apiKey, petId) => {
    const body = JSON.stringify({ petId })
    return eventFrom(apiKey, 'placeOrder-placed', {
      body,
      headers: { 'Idempotency-Key': `order-${petId}` },
    })
  }
  const complete: Way['event'] = (apiKey, id) =>
    eventFrom(apiKey, 'updateOrder-completed', { id: `${id}` })
  const cancel: Way['event'] = (apiKey, id) =>
    eventFrom(apiKey, 'cancelOrder-canceled', { id: `${id}` })
  const cancelOnce: Way['event'] = (apiKey, id) =>
    eventFrom(apiKey, 'cancelOrder-canceled', {
      id: `${id}`,
      headers: { 'Idempotency-Key': `cancel-${id}` },
    })
  const placed = { exists: store, calls: [KEY, RESERVATION, PET, PLACE], served: '201 replay' }
  const ended = { exists: storeOrder, calls: [KEY, ORDER, PET, END] }
  /**
   * The pet, and an order that exists before, have the number of the case as their id. The pet
   * `ends` with a status.
   */
  const ways: Record<string, Way & { ends: string }> = {
    'an order': {
      ...placed,
      event: place,
      retried: ['201 replay', 'replay replay'],
      ends: 'pending',
    },
    'a complete': { ...ended, event: complete, served: '200', retried: ['200'], ends: 'sold' },
    'a cancel': {
      ...ended,
      event: cancel,
      served: '204',
      retried: ['204', '404'],
      ends: 'available',
    },
    'an order of a pet that is held': {
      exists: storeOrder,
      event: place,
      calls: [KEY, RESERVATION, PET, RESERVE],
      served: '409 replay',
      retried: ['409 replay', 'replay replay'],
      ends: 'pending',
    },
    'a cancel with a key': {
      exists: storeOrder,
      event: cancelOnce,
      calls: [KEY, RESERVATION, ORDER, PET, END_ONCE],
      served: '204 replay',
      retried: ['204 replay', 'replay replay'],
      ends: 'available',
    },
  }

  describe.concurrent('order and pet change together, or the response is a 503, whichever calls meet', () => {
    test.each(Object.entries(faultKinds))('%s', async (title, kind) => {
      const outcomes = await Promise.all(casesOf(ways, title, kind).map(run))

      const [pets, orders] = [await storedItems('pets'), await storedItems('orders')]
      for (const outcome of outcomes) {
        const { each, number } = outcome
        const own = [
          pets.filter(({ id }) => id === number),
          orders.filter(({ petId }) => petId === number),
        ] as const
        expect(unmatched(...own), each.title).toEqual([])
        expect(own[0], each.title).toMatchObject([{ status: each.way.ends }])
        const { revision, shard: _, ...body } = { id: number, revision: '', shard: 0, ...own[1][0] }
        const resource = { path: '/store/orders', body, revision }
        expectResponses(outcome, resource, {
          404: errorResponse(404, 'not_found', `No order has the id ${number}.`),
          409: errorResponse(409, 'conflict', `Pet ${number} is not available: it is pending.`),
        })
      }
    })
  })
})
