import { beforeEach, expect, test } from 'vitest'
import { service } from '../../shared/service.ts'
import { invoke } from '../support/invoke.ts'
import '../support/clock.ts'
import { putItem, storedItems } from '../support/database.ts'
import { eventOf, responseTo } from '../support/events.ts'
import { storedPet } from '../support/pets.ts'

const petId = 373117652410368
const order = { id: 373212906332160, petId, complete: false }
const TIME = '2026-11-20T12:00:00Z'
const anETag = expect.stringMatching(/^"\d+-[\da-f-]{36}"$/)

beforeEach(() => putItem('orders', { ...order, shard: 0, revision: 'a' }))

test.each([
  ['listOrders-no-parameters', { status: 200, body: [order] }],
  ['getOrder-found', { status: 200, headers: { ETag: `"${order.id}-a"` }, body: order }],
  [
    'updateOrder-completed',
    {
      status: 200,
      headers: { ETag: anETag },
      body: { ...order, complete: true, completedAt: TIME },
    },
  ],
  ['cancelOrder-canceled', { status: 204 }],
])('returns what the operation promises, and nothing else: %s', async (name, expected) => {
  const event = eventOf(name)

  const response = await invoke(event)

  expect(response).toEqual(responseTo(event, expected))
})

test('placeOrder returns the order, and stores no field that a client made up', async () => {
  await putItem('pets', storedPet(petId))
  const body = JSON.stringify({ id: 1, petId, complete: true, shard: 7, quantity: 2 })
  const event = eventOf('placeOrder-placed', { body })

  const response = await invoke(event)

  const placed = { id: response.body.id, petId, complete: false, placedAt: TIME }
  const headers = { Location: `${service.basePath}/store/orders/${placed.id}`, ETag: anETag }
  expect(response).toEqual(responseTo(event, { status: 201, headers, body: placed }))
  expect(await storedItems('orders')).toContainEqual({
    ...placed,
    shard: 0,
    petIdShard: `${petId}#0`,
    completeShard: 'false#0',
    revision: expect.any(String),
  })
})
