import { expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { putItem } from '../support/database.ts'
import { eventOf } from '../support/events.ts'
import { errorResponse, responseTo } from '../support/responses.ts'

const rex = { id: 373117652410368, name: 'Rex', categoryId: 7, status: 'available' }
await putItem('pets', { ...rex, shard: 0, statusShard: 'available#0', creation: 'a token that nobody sees' })

test('returns 204 without content, and then 404 to every request for the pet', async () => {
  const event = eventOf('deletePet-deleted')

  const response = await call(event)
  const later = [await call(event), await call(eventOf('updatePet-changed'))]

  expect(response).toEqual(responseTo(event, { status: 204 }))
  expect(later.map(({ status, body }) => [status, body.message])).toEqual(
    Array(2).fill([404, 'No pet has the id 373117652410368.']),
  )
})

test.each([
  ['373117652410369', 'No pet has the id 373117652410369.'],
  ['01', 'petId must be an integer from -9223372036854775808 to 9223372036854775807, in digits.'],
])('returns 404 for the id %s', async (petId, message) => {
  const event = eventOf('deletePet-deleted', { petId })

  const response = await call(event)

  expect(response).toEqual(responseTo(event, errorResponse(404, 'not_found', message)))
})
