import { expect, test } from 'vitest'
import { service } from '../../shared/service.ts'
import '../support/clock.ts'
import { putItem, storedItems } from '../support/database.ts'
import { eventOf, responseTo } from '../support/events.ts'
import { invoke } from '../support/invoke.ts'
import { storedPet } from '../support/pets.ts'

const TIME = '2026-11-20T12:00:00Z'
const anETag = expect.stringMatching(/^"\d+-[\da-f-]{36}"$/)
const order = { id: 373212906332160, petId: 100, complete: false }
const completed = { ...order, complete: true, completedAt: TIME }

test.each([
  ['listOrders-no-parameters', { status: 200, body: [order] }],
  ['getOrder-found', { status: 200, headers: { ETag: `"${order.id}-a"` }, body: order }],
  ['updateOrder-completed', { status: 200, headers: { ETag: anETag }, body: completed }],
  ['cancelOrder-canceled', { status: 204 }],
])('%s returns an open order, or its end, and nothing else', async (name, expected) => {
  await putItem('orders', { ...order, shard: 0, revision: 'a' })
  const event = eventOf(name)

  expect(await invoke(event)).toEqual(responseTo(event, expected))
})

test('placeOrder returns the order, and stores no field that a client made up', async () => {
  await putItem('pets', storedPet(order.petId))
  const body = JSON.stringify({ id: 1, petId: order.petId, complete: true, shard: 7, quantity: 2 })
  const event = eventOf('placeOrder-placed', { body })

  const response = await invoke(event)

  const placed = { ...order, id: response.body.id, placedAt: TIME }
  const headers = { Location: `${service.basePath}/store/orders/${placed.id}`, ETag: anETag }
  expect(response).toEqual(responseTo(event, { status: 201, headers, body: placed }))
  expect(await storedItems('orders')).toContainEqual({
    ...placed,
    shard: 0,
    petIdShard: `${order.petId}#0`,
    completeShard: 'false#0',
    revision: expect.any(String),
  })
})
