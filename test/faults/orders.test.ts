import { describe, expect, test } from 'vitest'
import type { PetStatus } from '../../shared/pets/pet.ts'
import { putItem, storedItems } from '../support/database.ts'
import { errorResponse } from '../support/events.ts'
import { storedPet } from '../support/pets.ts'
import { casesOf, eventFrom, expectResponses, run, type Way } from './cases.ts'
import { faultKinds } from './fault-kinds.ts'

const [KEY, ORDER, PET] = ['GetItem apiKeys', 'GetItem orders', 'GetItem pets']
const RESERVATION = 'GetItem idempotencyKeys'
const PLACE = 'TransactWriteItems idempotencyKeys pets orders'
const END = 'TransactWriteItems orders pets'
const END_ONCE = 'TransactWriteItems idempotencyKeys orders pets'

const storePet = (id: number) => putItem('pets', { ...storedPet(id), revision: 'w' })
const storeOrder = async (id: number) => {
  await putItem('orders', { id, petId: id, complete: false, shard: 0, revision: 'x' })
  await putItem('pets', { ...storedPet(id, { status: 'pending' }), order: id })
}

const place: Way['event'] = (apiKey, petId) =>
  eventFrom(apiKey, 'placeOrder-placed', {
    body: JSON.stringify({ petId }),
    headers: { 'Idempotency-Key': `order-${petId}` },
  })
const cancel: Way['event'] = (apiKey, id) =>
  eventFrom(apiKey, 'cancelOrder-canceled', { id: `${id}` })
const cancelOnce: Way['event'] = (apiKey, id) =>
  eventFrom(apiKey, 'cancelOrder-canceled', {
    id: `${id}`,
    headers: { 'Idempotency-Key': `cancel-${id}` },
  })

/** The pet, and an order that exists before, have the number of the case as their id. */
const ways: Record<string, Way & { leaves: PetStatus }> = {
  'an order': {
    exists: storePet,
    event: place,
    calls: [KEY, RESERVATION, PET, PLACE],
    served: '201 replay',
    retried: ['201 replay', 'replay replay'],
    leaves: 'pending',
  },
  'a cancel': {
    exists: storeOrder,
    event: cancel,
    calls: [KEY, ORDER, PET, END],
    served: '204',
    retried: ['204', '404'],
    leaves: 'available',
  },
  'a cancel with a key': {
    exists: storeOrder,
    event: cancelOnce,
    calls: [KEY, RESERVATION, ORDER, PET, END_ONCE],
    served: '204 replay',
    retried: ['204 replay', 'replay replay'],
    leaves: 'available',
  },
}

describe.concurrent('order and pet change together, or the response is a 503', () => {
  test.each(Object.entries(faultKinds))('%s', async (title, kind) => {
    const outcomes = await Promise.all(casesOf(ways, title, kind).map(run))

    const [pets, orders] = [await storedItems('pets'), await storedItems('orders')]
    for (const outcome of outcomes) {
      const { each, number } = outcome
      const { leaves } = each.way
      const [order, ...others] = orders.filter(({ petId }) => petId === number)
      expect(others, each.title).toEqual([])
      expect(
        pets.find(({ id }) => id === number),
        each.title,
      ).toEqual({
        ...storedPet(number, { status: leaves }),
        ...(leaves === 'pending' && { order: order?.id ?? 'of an order' }),
        revision: expect.any(String),
      })
      if (leaves === 'available') expect(order, each.title).toBeUndefined()
      const { revision, shard: _, ...body } = { id: number, revision: '', shard: 0, ...order }
      expectResponses(
        outcome,
        { path: '/store/orders', body, revision },
        { 404: errorResponse(404, 'not_found', `No order has the id ${number}.`) },
      )
    }
  })
})
