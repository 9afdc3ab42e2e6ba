import { randomUUID } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { createClient } from '../../infra/client/client.ts'
import type { NewPet, Pet } from '../../shared/pets/pet.ts'
import { apiKey, baseUrl } from '../support/api.ts'

const client = createClient({ baseUrl, apiKey })
const aCat = (): NewPet => ({ name: `Mia ${randomUUID()}`, categoryId: 7, status: 'sold' })

test('lists pets across pages, newest first', async () => {
  const [older, newer] = [await client.createPet(aCat()), await client.createPet(aCat())]
  const listed = async () => {
    const found: Pet[] = []
    for await (const pet of client.listPets({ status: 'sold', limit: 1 })) {
      if (pet.id < older.id) break
      found.push(pet)
    }
    return found.filter(({ id }) => id === older.id || id === newer.id) // Other tests add pets, too.
  }

  // The index follows the table, usually within a second.
  await vi.waitFor(async () => expect(await listed()).toEqual([newer, older]), 30_000)
})

test('changes and deletes a pet', async () => {
  const { id: petId } = await client.createPet(aCat())

  const changed = await client.updatePet({ petId, name: 'Tom', status: null })

  expect(changed).toEqual({ id: petId, name: 'Tom', categoryId: 7 })
  expect(await client.deletePet({ petId })).toBeUndefined()
  await expect(client.deletePet({ petId })).rejects.toMatchObject({ code: 'not_found', status: 404 })
})

test.each([9007199254740991, 9007199254740993n, -9223372036854775808n])(
  'creates and changes a pet with the int64 %d exactly',
  async (categoryId) => {
    const pet = await client.createPet({ name: 'Rex', categoryId })

    expect(pet).toEqual({ id: expect.any(Number), name: 'Rex', categoryId })
    expect(await client.updatePet({ petId: pet.id, categoryId })).toEqual(pet)
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

describe("throws the service's error for a value that its type does not exclude", () => {
  test.each<[unknown, string]>([
    [{ name: 'Rex' }, 'categoryId'],
    [{ name: 'Rex', categoryId: 2n ** 63n }, 'categoryId'],
    [undefined, 'name'],
  ])('in a pet: %o', async (pet, name) => {
    const error = { code: 'bad_request', status: 400, message: expect.stringContaining(name) }

    await expect(client.createPet(pet as NewPet)).rejects.toMatchObject(error)
  })

  test.each<unknown>([-1n, 'a/..'])('in an id: %o', async (petId) => {
    const error = { code: 'not_found', status: 404, requestId: expect.stringMatching(/^\S+$/) }

    await expect(client.deletePet({ petId: petId as number })).rejects.toMatchObject(error)
  })
})
