import { afterEach, expect, test, vi } from 'vitest'
import { service } from '../../shared/service.ts'
import { putItem } from '../support/database.ts'
import { eventOf, responseTo } from '../support/events.ts'
import { invoke } from '../support/invoke.ts'
import { petOf, storedPet } from '../support/pets.ts'

const ADDRESS = `https://abcdef1234.execute-api.eu-central-1.amazonaws.com${service.basePath}`

const nala = petOf(106)
const milo = petOf(105, { status: undefined })
const bella = petOf(103, { categoryId: -1 })
const oldest = [petOf(2, { status: 'sold' }), petOf(1, { status: 'sold' })]

for (const pet of [...oldest, nala, milo, bella]) await putItem('pets', storedPet(pet.id, pet))

const list = (query: Record<string, string | string[]>) =>
  eventOf('listPets-no-parameters', { query })

afterEach(() => vi.unstubAllEnvs())

test.each([
  // This is the cursor of the id 3.
  ['the last page', list({ limit: '2', cursor: 'AAAAAAAAAAP8K47T' }), oldest, undefined],
  ['all pets of a status', list({ status: 'available' }), [nala, bella], undefined],
  [
    'a page at the root of a custom domain',
    eventOf('listPets-custom-domain-root'),
    [nala, milo],
    'https://pets.example.com/pets?limit=2&cursor=AAAAAAAAAGlRTAaV',
  ],
  [
    'a page for a query with a filter, and a value without a name',
    list({ '': 'x', limit: '1', status: 'available' }),
    [nala],
    `${ADDRESS}/pets?limit=1&status=available&cursor=AAAAAAAAAGrIRVcv`,
  ],
])('returns %s, and the address of the next one, if there is one', async (_, event, body, next) => {
  const response = await invoke(event)

  expect(response).toEqual(
    responseTo(event, {
      status: 200,
      headers: { ...(next && { Link: `<${next}>; rel="next"` }) },
      body,
    }),
  )
})

test('behind a CDN, links and Location begin with the public base address', async () => {
  vi.stubEnv('PUBLIC_BASE_URL', 'https://shop.example/animals')

  const page = await invoke(list({ limit: '1', status: 'available' }))
  const added = await invoke(eventOf('createPet-created'))

  expect(page.headers.Link).toBe(
    '<https://shop.example/animals/pets?limit=1&status=available&cursor=AAAAAAAAAGrIRVcv>; rel="next"',
  )
  expect(added.headers.Location).toMatch(/^\/animals\/pets\/\d+$/)
})
