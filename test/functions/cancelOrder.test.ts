import { expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { putItem } from '../support/database.ts'
import { eventOf, responseTo } from '../support/events.ts'

await putItem('orders', { id: 373212906332160, petId: 373117652410368, complete: false, shard: 0, revision: 'a' })

test('returns 204 without content', async () => {
  const event = eventOf('cancelOrder-canceled')

  expect(await call(event)).toEqual(responseTo(event, { status: 204 }))
})
