import { expect, test } from 'vitest'
import { call, created, expectCommonHeaders, expectError, listed, type Pet, update } from '../support/api.ts'

const NO_CHANGE = 'The body must have at least one of name, categoryId and status.'
const rex = { name: 'Rex', categoryId: 7, status: 'available' }

test.each([
  ['a new name', { name: 'Max' }, { ...rex, name: 'Max' }],
  ['a new status, and unknown fields', { id: 1, tag: 'x', status: 'sold' }, { ...rex, status: 'sold' }],
  ['null as status', { status: null }, { name: 'Rex', categoryId: 7 }],
  ['every field', { name: 'Max', categoryId: 8, status: 'pending' }, { name: 'Max', categoryId: 8, status: 'pending' }],
])('changes a pet, and returns it, for %s', async (_, changes, expected) => {
  const { id } = await created(rex)

  const response = await update(id, changes)

  expect([response.status, response.body]).toEqual([200, { id, ...expected }])
  expectCommonHeaders(response)
  await expect.poll(() => listed(id), { timeout: 30_000 }).toEqual({ id, ...expected })
})

test('keeps all digits of a categoryId', async () => {
  const { id } = await created(rex)

  const changed = await update(id, '{"categoryId":9223372036854775807,"status":null}')
  const renamed = await update(id, { name: 'Max' })

  expect(changed.text).toBe(`{"id":${id},"name":"Rex","categoryId":9223372036854775807}`)
  expect(renamed.text).toBe(`{"id":${id},"name":"Max","categoryId":9223372036854775807}`)
})

test.each([
  ['sold', { status: 'sold' }],
  [undefined, { status: null }],
])('moves the pet to the list of its new status: %s', async (status, changes) => {
  const { id } = await created(rex)
  const found = async (query: string) => {
    const { body } = await call({ path: `/pets?limit=100${query}` })
    return (body as Pet[]).find((pet) => pet.id === id) // As the tests of listPets prove.
  }

  const { body } = await update(id, changes)

  // The indexes follow the table, usually within a second.
  const lists = async () => [await found('&status=available'), await found('&status=sold'), await found('')]
  await expect.poll(lists, { timeout: 30_000 }).toEqual([undefined, status && body, body])
})

test.each([
  ['no field', '{}', NO_CHANGE],
  ['only an id', '{"id":7}', NO_CHANGE],
  ['null as name', '{"name":null}', expect.stringMatching(/^name must be [^;]+, or omitted\.$/)],
  ['an unknown status', '{"status":"gone"}', 'status must be one of available, pending, sold, null, or omitted.'],
  ['null', 'null', expect.stringMatching(/^The body is not a JSON object\. .+ name must be .+, null, or omitted\.$/)],
])('returns 400 with what a change may hold, and changes nothing, for %s', async (_, body, message) => {
  const pet = await created(rex)

  const response = await update(pet.id, body)

  expectError(response, 400, 'bad_request', message)
  await expect.poll(() => listed(pet.id), { timeout: 30_000 }).toEqual(pet)
})

test('accepts JSON and merge patches, and returns 415 for other content types', async () => {
  const { id } = await created(rex)

  const accepted = [
    await update(id, { name: 'A' }, { 'Content-Type': 'application/json' }),
    await update(id, { name: 'B' }),
  ]
  const refused = await update(id, { name: 'C' }, { 'Content-Type': 'text/plain' })

  expect(accepted.map(({ status }) => status)).toEqual([200, 200])
  const message = 'Send the body as JSON, with the header Content-Type: application/json'
  expectError(refused, 415, 'unsupported_media_type', message)
})

test('returns 413 for a body of more than 256 KiB', async () => {
  const response = await update(1, '{"name":"Rex"}'.padEnd(256 * 1024 + 1))

  expectError(response, 413, 'payload_too_large', 'The body must not be larger than 256 KiB.')
})

test.each(['1', '-1', '9223372036854775808', '01', 'abc', '%00'])(
  'returns 404 for %s, the id of no pet',
  async (id) => {
    expectError(await update(id, { name: 'Max' }), 404, 'not_found', expect.any(String))
  },
)
