import { expect, test } from 'vitest'
import {
  createdPet,
  expectCommonHeaders,
  expectError,
  expectListed,
  remove,
  update,
} from '../support/api.ts'

test('deletes a pet, which no later request finds, and returns no content', async () => {
  const { id } = await createdPet({ name: 'Rex', categoryId: 7, status: 'available' })

  const response = await remove(id)

  expect([response.status, response.text]).toEqual([204, ''])
  expectCommonHeaders(response)
  for (const later of [await remove(id), await update(id, { name: 'Max' })])
    expectError(later, 404, 'not_found', `No pet has the id ${id}.`)
  await expectListed(id, undefined)
  await expectListed(id, undefined, '&status=available')
})
