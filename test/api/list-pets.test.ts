import { expect, test } from 'vitest'
import { cursorAfter } from '../../shared/model/paging.ts'
import { filters } from '../../shared/service.ts'
import { baseUrl, createdPet, expectError, expectListed, request } from '../support/api.ts'

const aPet = () => createdPet({ name: 'Rex', categoryId: 7, status: 'sold' })

// All pages, while others add pets, are in test/shared/data/collection.test.ts.
test('links to the next page, which has the next older pets', async () => {
  const [older, newer] = [await aPet(), await aPet()]
  await expectListed(newer.id, newer, '&status=sold')

  const page = await request({
    path: `/pets?limit=1&status=sold&cursor=${cursorAfter(newer.id + 1)}`,
  })
  const [, next = ''] = /^<(.+)>; rel="next"$/.exec(page.headers.link ?? '') ?? []
  const { body } = await request({
    path: next.replace(baseUrl, '').replace('limit=1&', 'limit=100&'),
  })

  expect(page.body).toEqual([newer])
  expect(body).toContainEqual(older)
  expect(body).not.toContainEqual(newer)
})

// More queries are in properties.test.ts.
test('returns 400 with the rules for an invalid query', async () => {
  const response = await request({ path: '/pets?limit=0&status=gone&cursor=abc' })

  const limit = 'limit must be an integer from 1 to 100, or omitted'
  const status = 'status must be one of available, pending, sold, or omitted'
  const cursor = 'cursor must be the cursor from a Link header, unchanged, or omitted'
  expectError(response, 400, 'bad_request', `${limit}; ${status}; ${cursor}.`)
})

const PARAMETERS = `listPets has limit, ${filters.pets.join(', ')}, cursor.`

test.each([
  ['GET', '/pets?stauts=sold', `There is no query parameter stauts. ${PARAMETERS}`],
  [
    'GET',
    `/pets?${'x'.repeat(51)}=`,
    `There is no query parameter ${'x'.repeat(50)}…. ${PARAMETERS}`,
  ],
  ['DELETE', '/pets/1?status=sold', 'There is no query parameter status. deletePet has none.'],
])('returns 400 for a parameter that does not exist: %s %s', async (method, path, message) => {
  expectError(await request({ method, path }), 400, 'bad_request', message)
})
