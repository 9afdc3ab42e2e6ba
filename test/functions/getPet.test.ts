import { expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { putItem } from '../support/database.ts'
import { eventOf, responseTo } from '../support/events.ts'

/** The headers that every response of getPet has, on the execute-api address of the fixtures. */
const deprecated = {
  Deprecation: '@1795132800', // 2026-11-20
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: '<https://abcdef1234.execute-api.eu-central-1.amazonaws.com/v1/pets>; rel="successor-version"',
}

const rex = { id: 373117652410368, name: 'Rex', categoryId: 7, status: 'available' }
await putItem('pets', { ...rex, shard: 0, statusShard: 'available#0', revision: 'a' })

test.each([
  ['getPet-found', deprecated.Link],
  ['getPet-custom-domain', '<https://api.example.com/v1/pets>; rel="successor-version"'],
])('returns the pet and the address of the successor at the caller’s host: %s', async (name, Link) => {
  const event = eventOf(name)

  const response = await call(event)

  expect(response).toEqual(
    responseTo(event, { status: 200, headers: { ...deprecated, Link, ETag: `"${rex.id}-a"` }, body: rex }),
  )
})
