import * as v from 'valibot'
import { expect, test } from 'vitest'
import { addExamples } from '../../../infra/local/examples.ts'
import { NewOrder, Order } from '../../../shared/orders/order.ts'
import { storedItems } from '../../support/database.ts'

test('the examples are pets of each status, with an order for each pending or sold one', async () => {
  // As by two servers of one database.
  const atOnce = await Promise.all([addExamples(), addExamples()])
  expect(atOnce.toSorted()).toEqual([
    '51 pets and 22 orders',
    expect.stringMatching(/^no examples: /),
  ])
  expect(await addExamples()).toBe('no examples: it is not empty')

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
