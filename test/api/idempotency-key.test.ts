import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { call, create, expectCommonHeaders, expectError, type Pet } from '../support/api.ts'

const keyed = (key: string | string[]) => ({ 'Idempotency-Key': key })
const aCat = () => ({ name: `Mia ${randomUUID()}`, categoryId: 7, status: 'available' })

/** The pets of this name among the newest, as soon as there is one: the index lags a little behind. */
const named = (name: string): Promise<Pet[]> =>
  vi.waitUntil(
    async () => {
      const { body } = await call({ path: '/pets?limit=100' })
      const found = (body as Pet[]).filter((pet) => pet.name === name) // An array, as the tests of listPets prove.
      return found.length > 0 && found
    },
    { timeout: 30_000 },
  )

test('a pet is added once, however often it is asked for, and the answer is the same each time', async () => {
  const [cat, key] = [aCat(), randomUUID()]

  const first = await create(cat, keyed(key))
  const again = [await create(cat, keyed(key)), await create(cat, keyed(key))]

  expect(first.status).toBe(201)
  expect(first.headers).not.toHaveProperty('idempotent-replayed')
  for (const response of again) {
    expect(response).toMatchObject({ status: 201, text: first.text })
    expect(response.headers).toMatchObject({ location: first.headers.location, 'idempotent-replayed': 'true' })
    expectCommonHeaders(response)
  }
  expect(await named(cat.name)).toEqual([first.body])
})

test('of many requests at once, one adds the pet and the others get it', async () => {
  const [cat, key] = [aCat(), randomUUID()]

  const responses = await Promise.all(Array.from({ length: 10 }, () => create(cat, keyed(key))))

  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(responses.filter(({ headers }) => !headers['idempotent-replayed'])).toHaveLength(1)
  expect(await named(cat.name)).toEqual([responses[0]?.body])
})

test('a key is the same in quotes, and a body is the same in another spelling', async () => {
  const [cat, key] = [aCat(), randomUUID()]

  const first = await create(cat, keyed(key))
  const quoted = await create(cat, keyed(`"${key}"`))
  const spelled = await create(`{"status":"available", "extra":1, "categoryId":7.0, "name":"${cat.name}"}`, keyed(key))

  expect(quoted).toMatchObject({ status: 201, text: first.text })
  expect(spelled).toMatchObject({ status: 201, text: first.text })
})

test('a pet with a categoryId beyond 2^53 comes back digit for digit', async () => {
  const [body, key] = [`{"name":"Mia","categoryId":9223372036854775807}`, randomUUID()]

  const [first, again] = [await create(body, keyed(key)), await create(body, keyed(key))]

  expect(first.text).toContain('"categoryId":9223372036854775807')
  expect(again).toMatchObject({ status: 201, text: first.text })
})

test.each([
  ['another name', { name: 'Tom' }],
  ['another category', { categoryId: 8 }],
  ['no status', { status: undefined }],
])('a key that came with another body is a 422: %s', async (_, difference) => {
  const [cat, key] = [aCat(), randomUUID()]
  await create(cat, keyed(key))

  const refused = await create({ ...cat, ...difference }, keyed(key))
  const again = await create(cat, keyed(key))

  const message =
    'This Idempotency-Key was used with another body within the last 24 hours. Send the same body, or use a new key.'
  expectError(refused, 422, 'unprocessable_content', message)
  expect(again.status).toBe(201)
})

test.each([
  ['of 256 characters', 'x'.repeat(256)],
  ['with a space', 'a b'],
  ['with an open quote', '"a'],
  ['given twice', ['a', 'b']],
])('what is no key is a 400: %s', async (_, key) => {
  const refused = await create(aCat(), keyed(key))

  const message =
    'Idempotency-Key must be 1 to 255 visible ASCII characters, bare or in double quotes, or omitted. Give each header once.'
  expectError(refused, 400, 'bad_request', message)
})

test('what was refused holds no key: the same key is good for what is then sent', async () => {
  const key = randomUUID()
  await create({ name: '', categoryId: 7 }, keyed(key))

  const { status, headers } = await create(aCat(), keyed(key))

  expect(status).toBe(201)
  expect(headers).not.toHaveProperty('idempotent-replayed')
})

test('a key means nothing where nothing is added', async () => {
  const { status } = await call({ path: '/pets?limit=1', headers: keyed('not a key') })

  expect(status).toBe(200)
})
