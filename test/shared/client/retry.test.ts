import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient, type NewPet } from '../../../shared/client/client.ts'
import { allOf } from '../../support/all-of.ts'
import { type LocalServer, startServer } from '../../support/server.ts'
import { errorBody, type Fate, serve } from './front.ts'

let server: LocalServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const aCat = (): NewPet => ({ name: `Mia ${randomUUID()}`, categoryId: 2n ** 63n - 1n })

const error = (status: number, headers: Record<string, string> = {}): Fate => ({
  status,
  headers: { 'X-Request-Id': 'abc=', ...headers },
  body: errorBody(status),
})

test.each<[string, Fate]>([
  ['the connection breaks', 'cut'],
  ['the answer is lost', 'loseAnswer'],
  ['the answer breaks off', 'cutAnswer'],
  ['of a 429', error(429, { 'Retry-After': '0' })],
  ['of a 502', error(502)],
  ['of a 503', error(503, { 'Retry-After': '0' })],
  ['of a 504', error(504)],
  ["of a proxy's 503", { status: 503, headers: { 'Content-Type': 'text/html' }, body: '<html>Busy</html>' }],
])('a pet is added once, although it is sent twice, because %s', async (_, fate) => {
  const front = await serve([fate, 'pass'], server)
  const [client, cat] = [createClient(front), aCat()]

  const pet = await client.pets.create(cat)

  const pets = await allOf(client.pets.list({ limit: 100 }))
  expect(pets.filter(({ name }) => name === cat.name)).toEqual([pet])
  expect(pet).toEqual({ id: expect.any(Number), ...cat })
  const [first, again] = front.requests.filter(({ method }) => method === 'POST')
  expect(again).toMatchObject({ body: first?.body, path: '/v1/pets' })
  expect(again?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/)
  expect(again?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
})

test.each<Fate>(['cut', 'cutAnswer', error(429), error(503)])('a list is read again after %j', async (fate) => {
  const front = await serve([fate, 'pass'], server)

  const pages = await allOf(createClient(front).pets.list({ status: 'sold' }).pages())

  expect(pages).toEqual([[]])
  expect(front.requests.map(({ path }) => path)).toEqual(Array(2).fill('/v1/pets?status=sold'))
})

test.each([400, 401, 404, 408, 413, 500])('nothing is sent again after a %d', async (status) => {
  const front = await serve([error(status)])

  const created = createClient(front).pets.create(aCat())

  await expect(created).rejects.toMatchObject({ code: 'made_up', message: 'Made by the test.', status })
  expect(front.requests).toHaveLength(1)
})

describe('Retry-After', () => {
  test('is waited for, until the waits add up to more than a call may wait', async () => {
    const front = await serve([error(429, { 'Retry-After': '1' })])

    const created = createClient({ ...front, maxWaitSeconds: 1.9 }).pets.create(aCat())

    await expect(created).rejects.toMatchObject({ status: 429, retryAfter: 1 })
    const [first, again, ...more] = front.requests.map(({ at }) => at)
    expect((again ?? 0) - (first ?? 0)).toBeGreaterThan(990)
    expect(more).toEqual([])
  })

  test.each([
    ['in seconds', { 'Retry-After': '3600' }],
    [
      'as a date, by the clock of who wrote it',
      { Date: 'Tue, 01 Jan 2030 00:00:00 GMT', 'Retry-After': 'Tue, 01 Jan 2030 01:00:00 GMT' },
    ],
  ])('that asks for too much patience ends the call at once: %s', async (_, headers) => {
    const front = await serve([error(503, headers)])

    const created = createClient(front).pets.create(aCat())

    await expect(created).rejects.toMatchObject({ status: 503, requestId: 'abc=', retryAfter: 3600 })
    expect(front.requests).toHaveLength(1)
  })

  test.each([
    ['soon', undefined],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ])('%s asks for no wait', async (value, retryAfter) => {
    const front = await serve([error(503, { 'Retry-After': value })])

    const created = createClient({ ...front, attempts: 2 }).pets.create(aCat())

    await expect(created).rejects.toMatchObject({ status: 503, retryAfter })
    expect(front.requests).toHaveLength(2)
  })
})

test('a request is sent five times, or as often as was asked for', async () => {
  const [five, two] = [await serve([error(503)]), await serve([error(503)])]

  const failed = [createClient(five).pets.create(aCat()), createClient({ ...two, attempts: 2 }).pets.create(aCat())]

  expect((await Promise.allSettled(failed)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect([five.requests.length, two.requests.length]).toEqual([5, 2])
})

test('what does not answer in time is sent again, and given up in the end', async () => {
  const front = await serve(['silence'])
  const sent: unknown[] = []
  const counted: typeof fetch = (input, init) => {
    sent.push(input)
    return fetch(input, init)
  }

  const options = { ...front, fetch: counted, attempts: 2, timeoutSeconds: 0.05 }
  const created = createClient(options).pets.create(aCat())

  await expect(created).rejects.toMatchObject({ code: 'no_answer', status: 0, cause: { name: 'TimeoutError' } })
  expect(sent).toEqual(Array(2).fill(`${front.baseUrl}/pets`))
})
