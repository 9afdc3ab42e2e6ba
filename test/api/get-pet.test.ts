import { expect, test } from 'vitest'
import {
  baseUrl,
  create,
  expectCommonHeaders,
  expectError,
  request,
  requestAnonymously,
} from '../support/api.ts'

const DEPRECATED = {
  deprecation: '@1795132800', // 20 November 2026
  sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  link: `<${baseUrl}/pets>; rel="successor-version"`,
}

test('returns a pet right after it was added', async () => {
  const added = await create({ name: 'Rex', categoryId: 7, status: 'sold' })

  const response = await request({ path: `/pets/${Object(added.body).id}` })

  expect([response.status, response.text]).toEqual([200, added.text])
  expect(response.headers).toMatchObject(DEPRECATED)
  expectCommonHeaders(response)
})

test('returns 404 for an id that no pet has', async () => {
  const response = await request({ path: '/pets/9223372036854775807' })

  expectError(response, 404, 'not_found', 'No pet has the id 9223372036854775807.')
  expect(response.headers).toMatchObject(DEPRECATED)
})

test('announces its removal without an API key, too', async () => {
  const response = await requestAnonymously({ path: '/pets/1' })

  expectError(response, 401, 'unauthorized', expect.any(String))
  expect(response.headers).toMatchObject(DEPRECATED)
})
