import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createClient } from '../../infra/client/client.ts'
import { apiKey, baseUrl, call, create, created, expectCommonHeaders, expectError, type Pet } from '../support/api.ts'

const keyed = (key: string | string[]) => ({ 'Idempotency-Key': key })
const aCat = () => ({ name: `Mia ${randomUUID()}`, categoryId: 7, status: 'available' })

/** Expects that of all pets that were added after `earlier`, only `pet` has its name. */
const expectOnly = async (pet: unknown, earlier: Pet): Promise<void> => {
  const sameName = async () => {
    const found: unknown[] = []
    for await (const each of createClient({ baseUrl, apiKey }).listPets({ limit: 100 })) {
      if (each.id <= earlier.id) break
      if (each.name === Object(pet).name) found.push(each)
    }
    return found
  }
  // The index follows the table, usually within a second.
  await expect.poll(sameName, { timeout: 30_000 }).toEqual([pet])
}

test('adds a pet once, and returns the same response to every retry', async () => {
  const [earlier, cat, key] = [await created(aCat()), aCat(), randomUUID()]

  const first = await create(cat, keyed(key))
  const retries = [await create(cat, keyed(key)), await create(cat, keyed(key))]

  expect(first.status).toBe(201)
  expect(first.headers).not.toHaveProperty('idempotent-replayed')
  for (const response of retries) {
    expect(response).toMatchObject({ status: 201, text: first.text })
    expect(response.headers).toMatchObject({ location: first.headers.location, 'idempotent-replayed': 'true' })
    expectCommonHeaders(response)
  }
  await expectOnly(first.body, earlier)
})

test('adds a pet once if many requests are sent at once', async () => {
  const [earlier, cat, key] = [await created(aCat()), aCat(), randomUUID()]

  const responses = await Promise.all(Array.from({ length: 10 }, () => create(cat, keyed(key))))

  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(responses.filter(({ headers }) => !headers['idempotent-replayed'])).toHaveLength(1)
  await expectOnly(responses[0]?.body, earlier)
})

test('treats a quoted key as the same key, and a body that is spelled differently as the same body', async () => {
  const key = randomUUID()

  const first = await create('{"name":"Mia","categoryId":9223372036854775807}', keyed(key))
  const quoted = await create('{"name":"Mia","categoryId":9223372036854775807}', keyed(`"${key}"`))
  const spelled = await create('{ "extra":1, "categoryId":9223372036854775807, "name":"\\u004dia" }', keyed(key))

  expect(first.text).toContain('"categoryId":9223372036854775807')
  expect(quoted).toMatchObject({ status: 201, text: first.text })
  expect(spelled).toMatchObject({ status: 201, text: first.text })
})

test.each([
  ['another name', { name: 'Tom' }],
  ['another category', { categoryId: 8 }],
  ['no status', { status: undefined }],
])('returns 422 for a key that was sent with a different body: %s', async (_, difference) => {
  const [cat, key] = [aCat(), randomUUID()]
  await create(cat, keyed(key))

  const refused = await create({ ...cat, ...difference }, keyed(key))
  const retried = await create(cat, keyed(key))

  const message =
    'This Idempotency-Key was used with another body within the last 24 hours. Send the same body, or use a new key.'
  expectError(refused, 422, 'unprocessable_content', message)
  expect(retried.status).toBe(201)
})

test('does not remember the key of a request that failed', async () => {
  const key = randomUUID()
  await create({ name: '', categoryId: 7 }, keyed(key))

  const { status, headers } = await create(aCat(), keyed(key))

  expect(status).toBe(201)
  expect(headers).not.toHaveProperty('idempotent-replayed')
})

test('ignores a key where nothing is added', async () => {
  const { status } = await call({ path: '/pets?limit=1', headers: keyed('not a key') })

  expect(status).toBe(200)
})
