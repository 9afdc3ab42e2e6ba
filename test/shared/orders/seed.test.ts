import * as v from 'valibot'
import { expect, test } from 'vitest'
import { transaction } from '../../../shared/data/transaction.ts'
import { NewOrder, Order } from '../../../shared/orders/order.ts'
import { seedOrders } from '../../../shared/orders/seed.ts'
import { seedPets } from '../../../shared/pets/seed.ts'
import { storedItems } from '../../support/database.ts'

test('the seeds have pets of each status, and an order for each pending or sold pet', async () => {
  expect([await transaction(seedPets), await transaction(seedOrders)]).toEqual([
    '51 pets',
    '22 orders',
  ])

  const [pets, orders] = [await storedItems('pets'), await storedItems('orders')]
  const of = (status: string) => pets.filter((pet) => pet.status === status).length
  expect([pets.length, of('available') + of('pending') + of('sold')]).toEqual([51, 51])
  expect([orders.length, orders.filter(({ complete }) => complete).length]).toEqual([
    22,
    of('sold'),
  ])
  expect(orders).toHaveLength(of('pending') + of('sold'))
  // What the examples of the reference need.
  const [[order], [placed]] = [v.getExamples(Order), v.getExamples(NewOrder)]
  expect(orders).toContainEqual(expect.objectContaining(order))
  expect(pets).toContainEqual(
    expect.objectContaining({ id: order?.petId, status: 'pending', order: order?.id }),
  )
  expect(pets).toContainEqual(expect.objectContaining({ id: placed?.petId, status: 'available' }))
})
