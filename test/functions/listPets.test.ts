import { expect, test } from 'vitest'
import { putItem } from '../support/database.ts'
import { call, callRaw, fixture } from './call.ts'
import { responseTo } from './responses.ts'

const nala = { id: 106, name: 'Nala', categoryId: 7, status: 'available' }
const milo = { id: 105, name: 'Milo', categoryId: 7 }
const rex = { id: 104, name: 'Rex', categoryId: 8, status: 'pending' }
const bella = { id: 103, name: 'Bella', categoryId: -1, status: 'available' }
const zoe = { id: 102, name: 'Zoë 🐕', categoryId: 0, status: 'available' }
const bubbles = { id: 101, name: 'Bubbles', categoryId: 9, status: 'pending' }

for (const pet of [zoe, rex, nala, bubbles, milo, bella]) {
  const statusShard = 'status' in pet ? `${pet.status}#0` : 'none#0'
  await putItem('petsTable', { ...pet, statusShard, creation: 'a token that nobody sees' })
}

const api = 'https://abcdef1234.execute-api.eu-central-1.amazonaws.com/v1'

test.each([
  ['listPets-no-parameters', [nala, milo, rex, bella, zoe, bubbles]],
  ['listPets-lower-case-scheme', [nala, milo, rex, bella, zoe, bubbles]],
  ['listPets-by-status', [nala, bella, zoe]],
  ['listPets-by-status-none', []],
  ['listPets-last-page', [zoe, bubbles]],
])('answers %s with all there is, newest first, and no link', async (name, body) => {
  const event = fixture(name)

  const response = await call(event)

  expect(response).toEqual(responseTo(event, { status: 200, body }))
})

test.each([
  ['listPets-first-page', [nala, milo], `<${api}/pets?limit=2&cursor=AAAAAAAAAGlRTAaV>; rel="next"`],
  ['listPets-next-page', [rex, bella], `<${api}/pets?limit=2&cursor=AAAAAAAAAGe29CuS>; rel="next"`],
  [
    'listPets-custom-domain',
    [nala, milo],
    '<https://api.example.com/v1/pets?limit=2&cursor=AAAAAAAAAGlRTAaV>; rel="next"',
  ],
  [
    'listPets-custom-domain-root',
    [nala, milo],
    '<https://pets.example.com/pets?limit=2&cursor=AAAAAAAAAGlRTAaV>; rel="next"',
  ],
  [
    'listPets-other-parameters',
    [nala],
    `<${api}/pets?colour=black+%26+white&colour=brown&limit=1&status=available&cursor=AAAAAAAAAGrIRVcv>; rel="next"`,
  ],
])('answers %s with a page and the address of the next', async (name, body, Link) => {
  const event = fixture(name)

  const response = await call(event)

  expect(response).toEqual(responseTo(event, { status: 200, headers: { Link }, body }))
})

test('lists a pet without a status with no status at all', async () => {
  const { body } = await callRaw(fixture('listPets-first-page'))

  expect(body).toBe(
    '[{"id":106,"name":"Nala","categoryId":7,"status":"available"},{"id":105,"name":"Milo","categoryId":7}]',
  )
})
