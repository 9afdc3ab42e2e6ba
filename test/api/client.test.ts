import { randomUUID } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { createClient, type NewPet, type Pet } from '../../infra/client/client.ts'
import { apiKey, baseUrl } from '../support/api.ts'

const client = createClient({ baseUrl, apiKey })
const aCat = (): NewPet => ({ name: `Mia ${randomUUID()}`, categoryId: 7, status: 'sold' })

/** Those of `pets` that a list returns, in its order. Other tests add pets, too. */
const listed = async (pets: Pet[], query = {}): Promise<Pet[]> => {
  const found: Pet[] = []
  const oldest = pets.at(-1)?.id ?? 0
  for await (const pet of client.listPets(query)) {
    if (pet.id < oldest) break
    if (pets.some(({ id }) => id === pet.id)) found.push(pet)
  }
  return found
}

test.each([{}, { status: 'sold', limit: 1 }])('lists pets across pages, newest first: %j', async (query) => {
  const pets: Pet[] = []
  for (let i = 0; i < 5; i++) pets.unshift(await client.createPet(aCat()))

  // The index follows the table, usually within a second.
  await vi.waitFor(async () => expect(await listed(pets, query)).toEqual(pets), 30_000)
})

test('lists pets page by page, and continues after a page', async () => {
  await Promise.all([1, 2, 3, 4].map(() => client.createPet(aCat())))

  await vi.waitFor(async () => {
    const pages = client.listPets({ limit: 2 }).pages()[Symbol.asyncIterator]()
    const [first, second] = [await pages.next(), await pages.next()]
    const continued = await client.listPets({ cursor: first.value.nextCursor }).toArray({ max: 2 })
    expect(continued).toEqual(second.value.items)
  }, 30_000)
})

test('changes and deletes a pet', async () => {
  const { id: petId } = await client.createPet(aCat())

  const changed = await client.updatePet({ petId, name: 'Tom', status: null })

  expect(changed).toEqual({ id: petId, name: 'Tom', categoryId: 7 })
  expect(await client.deletePet({ petId })).toBeUndefined()
  await expect(client.deletePet({ petId })).rejects.toMatchObject({ code: 'not_found', status: 404 })
})

test.each([9007199254740991, 9007199254740993n, 9223372036854775807n, -9223372036854775808n, 0])(
  'creates and reads a pet with the int64 %d exactly',
  async (categoryId) => {
    const pet = await client.createPet({ name: 'Rex', categoryId })

    expect(pet).toEqual({ id: expect.any(Number), name: 'Rex', categoryId })
    expect(await client.getPet({ petId: pet.id })).toEqual(pet)
  },
)

test('adds a pet per call, and one for all calls with the same idempotency key', async () => {
  const [cat, idempotencyKey] = [aCat(), randomUUID()]
  // Code without types can pass null; it means no key.
  const none = { idempotencyKey: null } as unknown as { idempotencyKey: string }

  const calls = [{}, {}, none, none, { idempotencyKey }, { idempotencyKey }].map((it) => client.createPet(cat, it))

  const ids = (await Promise.all(calls)).map(({ id }) => id)
  expect(new Set(ids).size).toBe(5)
  expect(ids[5]).toBe(ids[4])
  const reused = client.createPet(aCat(), { idempotencyKey })
  await expect(reused).rejects.toMatchObject({ code: 'unprocessable_content', status: 422 })
})

const NAME = 'name must be a string of 1 to 1000 characters, not only white space, in valid Unicode'
const CATEGORY = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807, in digits'
const STATUS = 'status must be one of available, pending, sold, or omitted'
const LIMIT = 'limit must be an integer from 1 to 100, or omitted'
const badRequest = (rule: string) => ({ code: 'bad_request', status: 400, message: expect.stringContaining(rule) })

describe("throws the service's error for a value that its type does not exclude", () => {
  test.each<[unknown, string]>([
    [{ name: 'R\ud83dx', categoryId: 7 }, NAME],
    [{ name: 'Rex' }, CATEGORY],
    [{ name: 'Rex', categoryId: Number.NaN }, CATEGORY],
    [{ name: 'Rex', categoryId: 2n ** 63n }, CATEGORY],
    [{ name: 'Rex', categoryId: 7, status: 'gone' }, STATUS],
    [undefined, NAME],
    [[], NAME],
  ])('in a pet: %o', async (pet, rule) => {
    await expect(client.createPet(pet as NewPet)).rejects.toMatchObject(badRequest(rule))
  })

  test.each([
    [{ limit: 1.5 }, LIMIT],
    [{ status: null }, STATUS],
  ])('in a list: %j', async (query, rule) => {
    await expect(listed([], query)).rejects.toMatchObject(badRequest(`${rule}. Give each parameter once.`))
  })

  test.each([1, -1n, '', '..', 'a/..', '?', undefined])('in an id: %o', async (petId) => {
    const error = { code: 'not_found', status: 404, requestId: expect.stringMatching(/^\S+$/) }

    await expect(client.getPet({ petId: petId as number })).rejects.toMatchObject(error)
  })

  test.each(['', 'a b', ' a', 'a\nb', 'é', '犬', 'a'.repeat(256)])(
    'in an idempotency key: %j',
    async (idempotencyKey) => {
      const created = client.createPet(aCat(), { idempotencyKey })

      await expect(created).rejects.toMatchObject(badRequest('Idempotency-Key must'))
    },
  )
})

test('throws a 401 that does not contain the wrong API key', async () => {
  const stranger = createClient({ baseUrl, apiKey: 'pet_local_wrong' })

  const message = expect.not.stringContaining('wrong')
  const error = { name: 'PetStoreError', code: 'unauthorized', status: 401, message }
  await expect(stranger.getPet({ petId: 1 })).rejects.toMatchObject(error)
})
