import { afterEach, expect, test, vi } from 'vitest'
import { service } from '../../shared/service.ts'
import { putItem } from '../support/database.ts'
import { eventOf, responseTo } from '../support/events.ts'
import { invoke } from '../support/invoke.ts'
import { petOf, storedPet } from '../support/pets.ts'

const rex = petOf(373117652410368)
await putItem('pets', storedPet(rex.id))

afterEach(() => vi.unstubAllEnvs())

test('returns the pet, and links to the successor of the operation at the same host', async () => {
  const event = eventOf('getPet-found')

  const response = await invoke(event)

  const host = 'abcdef1234.execute-api.eu-central-1.amazonaws.com'
  const headers = {
    ETag: `"${rex.id}-x"`,
    Deprecation: '@1795132800', // 2026-11-20
    Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
    Link: `<https://${host}${service.basePath}/pets>; rel="successor-version"`,
  }
  expect(response).toEqual(responseTo(event, { status: 200, headers, body: rex }))
})

test('behind a CDN, links to the successor at the public base address', async () => {
  vi.stubEnv('PUBLIC_BASE_URL', 'https://shop.example/animals')

  const { headers } = await invoke(eventOf('getPet-found'))

  expect(headers.Link).toBe('<https://shop.example/animals/pets>; rel="successor-version"')
})
