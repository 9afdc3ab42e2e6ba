import { expect, test } from 'vitest'
import { runTransaction } from '../../../shared/data/run-transaction.ts'
import * as ofOrders from '../../../shared/orders/orders.ts'
import * as ofPets from '../../../shared/pets/pets.ts'
import '../../support/clock.ts'
import { putItem, storedItems } from '../../support/database.ts'
import { inOwnTransactions } from '../../support/in-own-transactions.ts'

const orders = inOwnTransactions(ofOrders.orders)
const pets = inOwnTransactions(ofPets.pets)

let lastId = 0

/** Stores an item as it is, and returns its id. */
const store = async (table: 'pets' | 'orders', fields: object): Promise<number> => {
  await putItem(table, { id: ++lastId, ...fields, shard: 0, revision: 'a' })
  return lastId
}
const anOrder = (petId = 0, complete = false) => store('orders', { petId, complete })
const aPet = (order?: number) =>
  store('pets', { name: 'Rex', categoryId: 7, status: order ? 'pending' : 'available', order })

test('an order is stored with its time, and with the partitions of its lists', async () => {
  const petId = await aPet()

  const { id } = await orders.place({ petId })

  expect(await storedItems('orders')).toContainEqual({
    id,
    petId,
    complete: false,
    placedAt: '2026-11-20T12:00:00Z',
    shard: 0,
    petIdShard: `${petId}#0`,
    completeShard: 'false#0',
    revision: expect.any(String),
  })
})

test('an order of a pet that is not available queues nothing', async () => {
  const petId = await aPet(await anOrder())
  const before = await storedItems('orders')

  const refusal = await runTransaction((tx) =>
    ofOrders.orders.place(tx, { petId }).catch(({ message }: Error) => message),
  )

  expect(refusal).toBe(`Pet ${petId} is not available: it is pending.`)
  expect(await storedItems('orders')).toEqual(before)
})

// As after a table was restored.
test.each([
  ['missing', async () => ++lastId],
  ['complete', () => anOrder(0, true)],
])('a hold of an order that is %s locks no pet', async (_, order) => {
  const id = await aPet(await order())

  await pets.change(id, { status: 'available' }, undefined)
  await orders.place({ petId: id })

  expect(await pets.get(id)).toMatchObject({ status: 'pending' })
  await pets.remove(await aPet(await order()), undefined)
})

test.each([
  ['is gone', async () => ++lastId],
  ['holds another', async () => aPet(await anOrder())],
])('complete and cancel write the order alone if its pet %s', async (_, pet) => {
  const petId = await pet()
  const [completed, canceled] = [await anOrder(petId), await anOrder(petId)]
  const before = await storedItems('pets')

  await orders.complete(completed, undefined)
  await orders.cancel(canceled, undefined)

  expect((await orders.get(completed)).complete).toBe(true)
  await expect(orders.get(canceled)).rejects.toMatchObject({ status: 404 })
  expect(await storedItems('pets')).toEqual(before)
})
