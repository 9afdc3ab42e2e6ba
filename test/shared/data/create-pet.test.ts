import { afterEach, describe, expect, test, vi } from 'vitest'
import { find } from '../../../shared/data/pets.ts'
import { putItem } from '../../support/database.ts'
import { create } from './create.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test.each([
  { name: 'Rex', categoryId: 7, status: 'sold' },
  { name: ' 🐕 e\u0301 \0 ', categoryId: 0 },
  { name: 'x'.repeat(1000), categoryId: 9223372036854775807n },
  { name: '🐕'.repeat(1000), categoryId: -9223372036854775808n, status: 'available' },
  { name: 'Rex', categoryId: 9007199254740991, status: 'pending' },
] as const)('a pet is found as it was created: %#', async (newPet) => {
  const pet = await create(newPet)

  expect(pet).toEqual({ id: expect.any(Number), ...newPet })
  expect(await find(pet.id)).toStrictEqual(pet)
})

test.each([0, 1, -1, 9007199254740991, 9223372036854775807n, -9223372036854775808n])(
  'no pet is found where none has the id: %s',
  async (id) => {
    expect(await find(id)).toBeUndefined()
  },
)

test('200 pets that are created 20 at a time are 200', async () => {
  const newPets = Array.from({ length: 200 }, (_, i) => ({ name: `Rex ${i}`, categoryId: i }))

  const pets = []
  // More would wait for a connection for longer than a busy machine has time.
  for (let i = 0; i < 200; i += 20) pets.push(...(await Promise.all(newPets.slice(i, i + 20).map(create))))

  expect(new Set(pets.map(({ id }) => id)).size).toBe(200)
  for (const [i, pet] of pets.entries()) expect(await find(pet.id)).toEqual({ id: pet.id, ...newPets[i] })
})

describe('an id that is taken', () => {
  // The first id that is drawn at this moment, with chance in the middle.
  const MOMENT = new Date('2050-01-01T00:00:00Z')
  const DRAWN = 3_360_935_116_802_048

  test('leads to the next, as often as it takes, and the pets that have it stay as they are', async () => {
    const others = [0, 1, 2].map((i) => ({ id: DRAWN + i, name: `Other ${i}`, categoryId: 1 }))
    // The last one as if it were older than the tokens of creation.
    for (const [i, other] of others.entries()) await putItem('petsTable', { ...other, ...(i < 2 && { creation: 'x' }) })
    vi.useFakeTimers({ toFake: ['Date'], now: MOMENT })
    vi.spyOn(Math, 'random').mockReturnValue(0.5)

    const pet = await create({ name: 'Rex', categoryId: 7 })

    expect(pet).toEqual({ id: DRAWN + 3, name: 'Rex', categoryId: 7 })
    expect(await find(DRAWN + 3)).toEqual(pet)
    expect(await Promise.all(others.map(({ id }) => find(id)))).toEqual(others)
  })
})
