import { expect, test } from 'vitest'
import { putItem } from '../support/database.ts'
import { call, fixture } from './call.ts'
import { badRequest, responseTo } from './responses.ts'

const LIMIT = 'limit must be an integer from 1 to 100, or omitted'
const STATUS = 'status must be one of available, pending, sold, or omitted'
const CURSOR = 'cursor must be the cursor from a Link header, unchanged, or omitted'

// One more than a page can hold.
for (let id = 1; id <= 101; id++) {
  await putItem('petsTable', { id, name: 'Rex', categoryId: 7, status: 'sold', statusShard: 'sold#0', creation: 'x' })
}

test.each([
  ['listPets-no-parameters', 20],
  ['listPets-limit-1', 1],
  ['listPets-limit-100', 100],
])('answers %s with that many of a larger number of pets: %d', async (name, length) => {
  const event = fixture(name)
  const newest = Array.from({ length }, (_, i) => ({ id: 101 - i, name: 'Rex', categoryId: 7, status: 'sold' }))

  const response = await call(event)

  const headers = { Link: expect.stringMatching(/^<https:\/\/abcdef1234\..+[?&]cursor=[\w-]{16}>; rel="next"$/) }
  expect(response).toEqual(responseTo(event, { status: 200, headers, body: newest }))
})

test.each([
  ['listPets-limit-0', LIMIT],
  ['listPets-limit-101', LIMIT],
  ['listPets-limit-negative', LIMIT],
  ['listPets-limit-fraction', LIMIT],
  ['listPets-limit-word', LIMIT],
  ['listPets-limit-empty', LIMIT],
  ['listPets-limit-leading-zero', LIMIT],
  ['listPets-limit-given-twice', LIMIT],
  ['listPets-status-gone', STATUS],
  ['listPets-status-empty', STATUS],
  ['listPets-status-given-twice', STATUS],
  ['listPets-altered-cursor', CURSOR],
  ['listPets-cut-cursor', CURSOR],
  ['listPets-empty-cursor', CURSOR],
  ['listPets-every-parameter-wrong', `${LIMIT}; ${STATUS}; ${CURSOR}`],
])('answers %s with a 400 that names the parameter and what it takes', async (name, rules) => {
  const event = fixture(name)

  const response = await call(event)

  expect(response).toEqual(responseTo(event, badRequest(`${rules}. Give each parameter once.`)))
})
