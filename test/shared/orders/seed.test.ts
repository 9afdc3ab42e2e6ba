import * as v from 'valibot'
import { expect, test } from 'vitest'
import { seed } from '../../../shared/examples.ts'
import { NewOrder, Order } from '../../../shared/orders/order.ts'
import { Pet } from '../../../shared/pets/pet.ts'
import { storedItems } from '../../support/database.ts'

test('seeds pets of each status, with an order for each that is pending or sold, into an empty store only', async () => {
  expect([await seed(), await seed()]).toEqual(['51 new pets and 22 orders', 'no new pets'])

  const [pets, orders] = [await storedItems('pets'), await storedItems('orders')]
  const statuses = Map.groupBy(pets, ({ status }) => status)
  const of = (status: string) => statuses.get(status)?.length ?? 0
  expect([pets.length, of('available') + of('pending') + of('sold')]).toEqual([51, 51])
  expect([orders.length, orders.filter(({ complete }) => complete).length]).toEqual([22, of('sold')])
  expect(orders).toHaveLength(of('pending') + of('sold'))
})

test('seeds what the examples of all operations need: a pet to order, change and delete, and an open order', async () => {
  const [pet, order, placed] = [v.getExamples(Pet)[0], v.getExamples(Order)[0], v.getExamples(NewOrder)[0]]
  await seed()

  const [pets, orders] = [await storedItems('pets'), await storedItems('orders')]

  expect(pets).toContainEqual(expect.objectContaining({ ...pet, id: placed?.petId, status: 'available' }))
  expect(pets).toContainEqual(expect.objectContaining({ id: order?.petId, status: 'pending', order: order?.id }))
  expect(orders).toContainEqual(expect.objectContaining({ ...order, complete: false }))
})
