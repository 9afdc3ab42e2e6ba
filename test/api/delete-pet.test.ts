import { expect, test } from 'vitest'
import { created, expectCommonHeaders, expectError, expectListed, remove, update } from '../support/api.ts'

const rex = { name: 'Rex', categoryId: 7, status: 'available' }

test('deletes a pet, which no later request finds, and returns no content', async () => {
  const { id } = await created(rex)

  const response = await remove(id)

  expect([response.status, response.text]).toEqual([204, ''])
  expectCommonHeaders(response)
  for (const later of [await remove(id), await update(id, { name: 'Max' })])
    expectError(later, 404, 'not_found', `No pet has the id ${id}.`)
  await expectListed(id, undefined)
  await expectListed(id, undefined, '&status=available')
})

test('deletes a pet once if several requests are sent at once', async () => {
  const { id } = await created(rex)

  const responses = await Promise.all(Array.from({ length: 5 }, () => remove(id)))

  // After a 503, a request meets its own delete.
  const statuses = responses.map(({ status }) => status).sort()
  expect(statuses).toBeOneOf([[204, 404, 404, 404, 404], Array(5).fill(404)])
})
