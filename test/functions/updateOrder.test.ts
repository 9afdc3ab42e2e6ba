import { expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { putItem } from '../support/database.ts'
import { eventOf, responseTo } from '../support/events.ts'

const order = { id: 373212906332160, petId: 373117652410368, complete: false }
await putItem('orders', { ...order, shard: 0, revision: 'a' })

test('returns 200 with the complete order and its tag', async () => {
  const event = eventOf('updateOrder-completed')

  const response = await call(event)

  const headers = { ETag: expect.stringMatching(/^"373212906332160-[\da-f-]{36}"$/) }
  expect(response).toEqual(responseTo(event, { status: 200, headers, body: { ...order, complete: true } }))
})
