import { expect, test } from 'vitest'
import { seed } from '../../../shared/examples.ts'
import { storedItems } from '../../support/database.ts'

test('seeds pets of each status, with an order for each that is pending or sold, into an empty store only', async () => {
  expect([await seed(), await seed()]).toEqual(['51 new pets and 21 orders', 'no new pets'])

  const [pets, orders] = [await storedItems('pets'), await storedItems('orders')]
  const statuses = Map.groupBy(pets, ({ status }) => status)
  const of = (status: string) => statuses.get(status)?.length ?? 0
  expect([pets.length, of('available') + of('pending') + of('sold')]).toEqual([51, 51])
  expect([orders.length, orders.filter(({ complete }) => complete).length]).toEqual([21, of('sold')])
  expect(orders).toHaveLength(of('pending') + of('sold'))
})
