import { test } from 'vitest'
import { orders } from '../../shared/orders/orders.ts'
import { pets } from '../../shared/pets/pets.ts'
import { petOf } from '../support/pets.ts'
import { expectInAllOrders, type Scenario, type Stored, type Work } from './all-orders.ts'

const place: Work = (tx) => orders.place(tx, { petId: 1 })
const complete: Work = (tx) => orders.complete(tx, 9, undefined)
const cancel: Work = (tx) => orders.cancel(tx, 9, undefined)
const removePet: Work = (tx) => pets.remove(tx, 1, undefined)

const available = { pets: [petOf(1)] }
const ordered = {
  pets: [{ ...petOf(1, { status: 'pending' }), order: 9 }],
  orders: [{ id: 9, petId: 1, complete: false }],
}

const openOrders = ({ orders }: Stored) => orders.filter(({ complete }) => !complete)

const invariants: Scenario['invariants'] = {
  'an open order holds its pet, which is pending': (stored) =>
    openOrders(stored).every(({ id, petId }) =>
      stored.pets.some((pet) => pet.id === petId && pet.order === id && pet.status === 'pending'),
    ),
  'the pet of a complete order is sold': ({ pets, orders }) =>
    orders
      .filter(({ complete }) => complete)
      .every(({ petId }) => pets.some(({ id, status }) => id === petId && status === 'sold')),
  'a pet is held by an open order only': (stored) =>
    stored.pets.every(
      ({ order }) => order === undefined || openOrders(stored).some(({ id }) => id === order),
    ),
}

test.each<[string, Scenario]>([
  [
    'a pet has one order',
    {
      stored: available,
      requests: { ann: place, bob: place },
      ends: ['ann done, bob 409', 'ann 409, bob done'],
    },
  ],
  [
    'an order is completed or canceled',
    {
      stored: ordered,
      requests: { ann: complete, bob: cancel, cat: place },
      ends: [
        'ann done, bob 409, cat 409',
        'ann 404, bob done, cat done',
        'ann 404, bob done, cat 409',
      ],
    },
  ],
  [
    'a pet is ordered or deleted',
    {
      stored: available,
      requests: { ann: place, bob: removePet },
      ends: ['ann done, bob 409', 'ann 409, bob done'],
    },
  ],
  [
    'a pet that is held is not deleted',
    {
      stored: ordered,
      requests: { ann: cancel, bob: removePet },
      ends: ['ann done, bob done', 'ann done, bob 409'],
    },
  ],
])('in all orders of events, %s', async (_, scenario) => {
  await expectInAllOrders({ ...scenario, invariants })
})
