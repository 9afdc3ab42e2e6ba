import { expect, test } from 'vitest'
import { service } from '../../shared/service.ts'
import { call } from '../support/call.ts'
import { putItem } from '../support/database.ts'
import { eventOf, responseTo } from '../support/events.ts'

const rex = { id: 373117652410368, name: 'Rex', categoryId: 7, status: 'available' }
await putItem('pets', { ...rex, shard: 0, statusShard: 'available#0', revision: 'a' })

test('returns the pet, and announces the removal with an address at the host of the request', async () => {
  const event = eventOf('getPet-found')

  const response = await call(event)

  const host = 'abcdef1234.execute-api.eu-central-1.amazonaws.com'
  const headers = {
    ETag: `"${rex.id}-a"`,
    Deprecation: '@1795132800', // 2026-11-20
    Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
    Link: `<https://${host}${service.basePath}/pets>; rel="successor-version"`,
  }
  expect(response).toEqual(responseTo(event, { status: 200, headers, body: rex }))
})
