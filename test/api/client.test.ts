import { randomUUID } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { createClient, type NewPet, type Pet } from '../../shared/client/client.ts'
import { apiKey, baseUrl } from '../support/api.ts'

const client = createClient({ baseUrl, apiKey })
const aCat = (): NewPet => ({ name: `Mia ${randomUUID()}`, categoryId: 7, status: 'sold' })

/** Those of `pets` that a list returns, in its order. Other tests add pets too, so it reads on for a while. */
const listed = async (pets: Pet[], query = {}): Promise<Pet[]> => {
  const found: Pet[] = []
  let read = 0
  for await (const pet of client.pets.list(query)) {
    if (pets.some(({ id }) => id === pet.id)) found.push(pet)
    if (found.length === pets.length || ++read === 300) break
  }
  return found
}

describe('list', () => {
  test.each([{}, { status: 'sold' }, { limit: 2 }, { status: 'sold', limit: 1 }])(
    'goes over all pages, newest first: %j',
    async (query) => {
      const pets: Pet[] = []
      for (let i = 0; i < 5; i++) pets.unshift(await client.pets.create(aCat()))

      // The index that lists are read from follows the table, as a rule within a second.
      await vi.waitFor(async () => expect(await listed(pets, query)).toEqual(pets), 30_000)
    },
  )

  test('gives its pages, too', async () => {
    await Promise.all([client.pets.create(aCat()), client.pets.create(aCat())])

    await vi.waitFor(async () => {
      for await (const page of client.pets.list({ limit: 2 }).pages()) return expect(page).toHaveLength(2)
    }, 30_000)
  })
})

describe('create', () => {
  test.each([
    9007199254740991,
    9007199254740992n,
    9007199254740993n,
    9223372036854775807n,
    -9223372036854775808n,
    -9007199254740991,
    0,
  ])('gives an int64 back digit for digit: %d', async (categoryId) => {
    const pet = await client.pets.create({ name: 'Rex', categoryId })

    expect(pet).toEqual({ id: expect.any(Number), name: 'Rex', categoryId })
    expect(await client.pets.get(pet.id)).toEqual(pet)
  })

  test('takes an idempotency key that is null, as JSON has it, for none', async () => {
    // What a program without types may give; with them, it does not compile.
    const [cat, options] = [aCat(), { idempotencyKey: null } as unknown as { idempotencyKey: string }]

    const [one, other] = [await client.pets.create(cat, options), await client.pets.create(cat, options)]

    expect(other.id).not.toBe(one.id)
  })

  test('adds a pet for each call, and one for all calls with one key', async () => {
    const [cat, idempotencyKey] = [aCat(), randomUUID()]

    const calls = [{}, {}, { idempotencyKey }, { idempotencyKey }].map((options) => client.pets.create(cat, options))

    const [one, another, third, third_] = (await Promise.all(calls)).map(({ id }) => id)
    expect(new Set([one, another, third, third_]).size).toBe(3)
    expect(third_).toBe(third)
  })
})

const NAME = 'name must be a string of 1 to 1000 characters, not only white space, in valid Unicode'
const CATEGORY = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807, in digits'
const STATUS = 'status must be one of available, pending, sold, or omitted'
const LIMIT = 'limit must be an integer from 1 to 100, or omitted'

describe('a value that types do not let through is refused by the service', () => {
  test.each<[unknown, string]>([
    [{ name: '', categoryId: 7 }, `${NAME}.`],
    [{ name: 'R\ud83dx', categoryId: 7 }, `${NAME}.`],
    [{ name: 'Rex' }, `${CATEGORY}.`],
    [{ name: 'Rex', categoryId: '7' }, `${CATEGORY}.`],
    [{ name: 'Rex', categoryId: 1.5 }, `${CATEGORY}.`],
    [{ name: 'Rex', categoryId: Number.NaN }, `${CATEGORY}.`],
    [{ name: 'Rex', categoryId: 2n ** 63n }, `${CATEGORY}.`],
    [{ name: 'Rex', categoryId: 2 ** 53 }, `${CATEGORY}.`],
    [{ name: 'Rex', categoryId: 1e300 }, `${CATEGORY}.`],
    [{ name: 'Rex', categoryId: 7, status: 'gone' }, `${STATUS}.`],
  ])('in a pet: %o', async (pet, message) => {
    await expect(client.pets.create(pet as NewPet)).rejects.toMatchObject({ code: 'bad_request', status: 400, message })
  })

  test.each([undefined, null, 'Rex', []])('in a pet that is none: %o', async (pet) => {
    const created = client.pets.create(pet as unknown as NewPet) // As above.

    await expect(created).rejects.toMatchObject({ status: 400, message: expect.stringContaining(NAME) })
  })

  test.each([
    [{ limit: 0 }, LIMIT],
    [{ limit: 1.5 }, LIMIT],
    [{ status: 'gone' }, STATUS],
    [{ status: null }, STATUS],
  ])('in what is listed: %j', async (query, rule) => {
    const message = `${rule}. Give each parameter once.`

    await expect(listed([], query)).rejects.toMatchObject({ code: 'bad_request', status: 400, message })
  })

  test.each([1, -1n, 2 ** 53, '', '.', '..', '/', 'a/b', '?', undefined])('in an id: %o', async (id) => {
    await expect(client.pets.get(id as number)).rejects.toMatchObject({ code: 'not_found', status: 404 })
  })

  test('in an idempotency key: one that was used for another pet', async () => {
    const idempotencyKey = randomUUID()
    await client.pets.create(aCat(), { idempotencyKey })

    const used = client.pets.create(aCat(), { idempotencyKey })
    await expect(used).rejects.toMatchObject({ code: 'unprocessable_content', status: 422 })
  })

  test.each(['', 'a b', ' a', 'a ', 'a\nb', 'é', '犬', '🐕', 'a'.repeat(256)])(
    'in an idempotency key that is none: %j',
    async (idempotencyKey) => {
      const created = client.pets.create(aCat(), { idempotencyKey })

      const message = expect.stringContaining('Idempotency-Key must')
      await expect(created).rejects.toMatchObject({ code: 'bad_request', status: 400, message })
    },
  )
})

test('an error carries the id that the service logged the request under', async () => {
  await expect(client.pets.get(1)).rejects.toMatchObject({ requestId: expect.stringMatching(/^\S+$/) })
})

test('a wrong API key is a 401, which does not show it', async () => {
  const stranger = createClient({ baseUrl, apiKey: 'pet_local_wrong' })

  await expect(stranger.pets.get(1)).rejects.toMatchObject({
    name: 'PetStoreError',
    code: 'unauthorized',
    status: 401,
    message: expect.not.stringContaining('wrong'),
  })
})
