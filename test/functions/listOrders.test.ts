import { expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { putItem } from '../support/database.ts'
import { eventOf, responseTo } from '../support/events.ts'

const orders = [103, 102, 101].map((id) => ({ id, petId: 7, complete: id === 102 }))
for (const order of orders) await putItem('orders', { ...order, shard: 0, revision: 'a' })

test('returns a page of orders, newest first, and the address of the next one', async () => {
  const event = eventOf('listOrders-no-parameters', { query: { limit: '2' } })

  const response = await call(event)

  const next =
    'https://abcdef1234.execute-api.eu-central-1.amazonaws.com/v1/store/orders?limit=2&cursor=AAAAAAAAAGbB8xsE'
  expect(response).toEqual(
    responseTo(event, { status: 200, headers: { Link: `<${next}>; rel="next"` }, body: orders.slice(0, 2) }),
  )
})
