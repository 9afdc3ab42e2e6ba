import { beforeEach, expect, test } from 'vitest'
import { pets } from '../../shared/pets/pets.ts'
import { call } from '../support/call.ts'
import { putItem } from '../support/database.ts'
import { eventOf, responseTo } from '../support/events.ts'

const rex = { id: 373117652410368, name: 'Rex', categoryId: 7, status: 'available' }
const stored = { ...rex, shard: 0, statusShard: 'available#0', revision: 'a' }

beforeEach(() => putItem('pets', stored))

test.each([
  ['a merge patch', eventOf('updatePet-changed'), { ...rex, status: 'sold' }],
  [
    'fields that nobody may set',
    eventOf('updatePet-changed', { body: '{"id":1,"shard":7,"revision":"mine","categoryId":8}' }),
    { ...rex, categoryId: 8 },
  ],
])('returns 200 with the changed pet for %s', async (_, event, pet) => {
  const response = await call(event)

  const headers = { ETag: expect.stringMatching(/^"373117652410368-[\da-f-]{36}"$/) }
  expect(response).toEqual(responseTo(event, { status: 200, headers, body: pet }))
  expect((await pets.get(rex.id)).resource).toEqual(pet)
})
