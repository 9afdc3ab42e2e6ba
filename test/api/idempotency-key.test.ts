import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createClient } from '../../infra/client/client.ts'
import type { Pet } from '../../shared/pets/pet.ts'
import { apiKey, baseUrl, call, create, created, expectCommonHeaders, expectError } from '../support/api.ts'

const keyed = (key: string | string[]) => ({ 'Idempotency-Key': key })
const aCat = () => ({ name: `Mia ${randomUUID()}`, categoryId: 7, status: 'available' })

test('adds a pet once, and returns the same response to all requests, at once and later', async () => {
  const [earlier, cat, key] = [await created(aCat()), aCat(), randomUUID()]

  const atOnce = await Promise.all(Array.from({ length: 10 }, () => create(cat, keyed(key))))
  const retried = await create(cat, keyed(key))

  const { text, headers } = retried
  for (const response of atOnce) {
    expect(response).toMatchObject({ status: 201, text, headers: { location: headers.location } })
    expectCommonHeaders(response)
  }
  const replayed = [...atOnce, retried].map((response) => response.headers['idempotent-replayed'])
  // None is the original response if that one was a 503, which the test retried.
  expect(replayed.filter((each) => each !== 'true')).toBeOneOf([[undefined], []])
  const sameName = async () => {
    const found: Pet[] = []
    for await (const pet of createClient({ baseUrl, apiKey }).listPets({ limit: 100 })) {
      if (pet.id <= earlier.id) break
      if (pet.name === cat.name) found.push(pet)
    }
    return found
  }
  // The index follows the table, usually within a second.
  await expect.poll(sameName).toEqual([retried.body])
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

test('returns 422 for a key that was sent with a different body', async () => {
  const [cat, key] = [aCat(), randomUUID()]
  await create(cat, keyed(key))

  const refused = await create({ ...cat, status: undefined }, keyed(key))
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
