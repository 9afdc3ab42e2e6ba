import { expect, test } from 'vitest'
import { baseUrl, call, callAnonymously, created, expectCommonHeaders, expectError } from '../support/api.ts'

const DEPRECATED = {
  deprecation: '@1795132800', // 20 November 2026
  sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  link: `<${baseUrl}/pets>; rel="successor-version"`,
}

test('reads a pet at once after it was added', async () => {
  const pet = await created({ name: 'Rex', categoryId: 7, status: 'sold' })

  const response = await call({ path: `/pets/${pet.id}` })

  expect(response.status).toBe(200)
  expect(response.body).toEqual(pet)
  expect(response.headers).toMatchObject(DEPRECATED)
  expectCommonHeaders(response)
})

test.each(['1', '0', '-1', '9223372036854775807', '-9223372036854775808', '9007199254740993'])(
  'answers 404 for %s, an id that no pet has',
  async (petId) => {
    const response = await call({ path: `/pets/${petId}` })

    expectError(response, 404, 'not_found', `No pet has the id ${petId}.`)
    expect(response.headers).toMatchObject(DEPRECATED)
  },
)

test.each(['abc', '1.5', '9223372036854775808', '1e3', '+1', '01', '%00', '..', '1%20', 'null'])(
  'answers 404 for %s, which is no id',
  async (petId) => {
    const response = await call({ path: `/pets/${petId}` })

    expectError(response, 404, 'not_found', expect.stringMatching(/\.$/))
  },
)

test('finds no pet at a number that only rounds to its id', async () => {
  const pet = await created({ name: 'Rex', categoryId: 7 })

  const response = await call({ path: `/pets/${pet.id}.0` })

  expectError(response, 404, 'not_found', expect.any(String))
})

test('says that it is deprecated to strangers as well', async () => {
  const response = await callAnonymously({ path: '/pets/1' })

  expectError(response, 401, 'unauthorized', expect.any(String))
  expect(response.headers).toMatchObject(DEPRECATED)
})
