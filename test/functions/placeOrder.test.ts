import { expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { putItem, storedItems } from '../support/database.ts'
import { eventOf, responseTo } from '../support/events.ts'

const petId = 373117652410368
await putItem('pets', { id: petId, name: 'Rex', categoryId: 7, status: 'available', shard: 0, revision: 'a' })

test('returns 201 with the order, and stores no field that the client made up', async () => {
  const body = JSON.stringify({ id: 1, petId, complete: true, shard: 7, quantity: 2 })
  const event = eventOf('placeOrder-placed', { body })

  const response = await call(event)

  const order = { id: expect.any(Number), petId, complete: false }
  const ETag = expect.stringMatching(new RegExp(`^"${response.body.id}-[\\da-f-]{36}"$`))
  const headers = { Location: `/v1/store/orders/${response.body.id}`, ETag }
  expect(response).toEqual(responseTo(event, { status: 201, headers, body: order }))
  expect(await storedItems('orders')).toEqual([{ ...order, shard: 0, revision: expect.any(String) }])
})
