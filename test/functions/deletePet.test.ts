import { expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { putItem } from '../support/database.ts'
import { eventOf, responseTo } from '../support/events.ts'

const rex = { id: 373117652410368, name: 'Rex', categoryId: 7, status: 'available' }
await putItem('pets', { ...rex, shard: 0, statusShard: 'available#0', revision: 'a' })

test('returns 204 without content, and then 404 to every request for the pet', async () => {
  const event = eventOf('deletePet-deleted')

  const response = await call(event)
  const later = [await call(event), await call(eventOf('updatePet-changed'))]

  expect(response).toEqual(responseTo(event, { status: 204 }))
  expect(later.map(({ status, body }) => [status, body.message])).toEqual(
    Array(2).fill([404, 'No pet has the id 373117652410368.']),
  )
})
