import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  call,
  create,
  created,
  expectCommonHeaders,
  expectError,
  listed,
  type Pet,
  remove,
  update,
} from '../support/api.ts'

const rex = { name: 'Rex', categoryId: 7, status: 'available' }

/** Expects that no request finds the pet. */
const expectGone = async (id: number): Promise<void> => {
  for (const response of [await remove(id), await update(id, { name: 'Max' })])
    expectError(response, 404, 'not_found', `No pet has the id ${id}.`)
  const found = async () => {
    const pages = await Promise.all(['', '&status=available'].map((query) => call({ path: `/pets?limit=100${query}` })))
    return pages.flatMap(({ body }) => body as Pet[]).filter((pet) => pet.id === id) // As the tests of listPets prove.
  }
  // The indexes follow the table, usually within a second.
  await expect.poll(found, { timeout: 30_000 }).toEqual([])
}

test('deletes a pet, and returns no content', async () => {
  const { id } = await created(rex)

  const response = await remove(id)

  expect([response.status, response.text]).toEqual([204, ''])
  expectCommonHeaders(response)
  await expectGone(id)
})

test('deletes a pet once if several requests are sent at once', async () => {
  const { id } = await created(rex)

  const responses = await Promise.all(Array.from({ length: 5 }, () => remove(id)))

  expect(responses.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404])
})

test('a retry of its creation gets the original response, and brings back neither the pet nor its old values', async () => {
  const keyed = { 'Idempotency-Key': randomUUID() }
  const first = await create(rex, keyed)
  const { id } = first.body as Pet // As the tests of createPet prove.

  const changed = await update(id, { name: 'Max' })
  const replays = [await create(rex, keyed)]
  await expect.poll(() => listed(id), { timeout: 30_000 }).toEqual(changed.body)
  await remove(id)
  replays.push(await create(rex, keyed))

  const { etag } = first.headers
  expect(etag).toBe(`"${id}"`)
  for (const { status, headers, text } of replays) {
    expect([status, text]).toEqual([201, first.text])
    expect(headers).toMatchObject({ 'idempotent-replayed': 'true', etag })
  }
  await expectGone(id)
})

test.each(['1', '-1', '9223372036854775808', '01', 'abc', '%00'])(
  'returns 404 for %s, the id of no pet',
  async (id) => {
    expectError(await remove(id), 404, 'not_found', expect.any(String))
  },
)
