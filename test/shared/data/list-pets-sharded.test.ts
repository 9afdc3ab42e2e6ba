import '../../support/database.ts'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { list } from '../../../shared/data/pets.ts'
import type { Pet } from '../../../shared/model/pet.ts'
import { create } from './create.ts'

const STATUSES = ['available', 'pending', 'sold', undefined] as const

const shards = ({ read, write }: { read: number; write: number }) => {
  vi.stubEnv('READ_SHARDS', String(read))
  vi.stubEnv('WRITE_SHARDS', String(write))
}

/** Eight pets of each status, and eight of none, newest first. */
const createPets = async (): Promise<Pet[]> => {
  const pets = []
  for (let i = 0; i < 32; i++) {
    const status = STATUSES[i % 4]
    pets.unshift(await create({ name: `Rex ${i}`, categoryId: i, ...(status && { status }) }))
  }
  return pets
}

shards({ read: 1, write: 1 })
const ofOneShard = await createPets()
shards({ read: 4, write: 4 })
const ofFourShards = await createPets()
shards({ read: 7, write: 7 })
const ofSevenShards = await createPets()
const all = [...ofSevenShards, ...ofFourShards, ...ofOneShard]

beforeEach(() => shards({ read: 7, write: 7 }))
afterAll(() => vi.unstubAllEnvs())

const everything = async (limit: number, filter: Pick<Pet, 'status'>) => {
  const pets = []
  let next: number | undefined
  do {
    const page = await list({
      ...(filter.status && { status: filter.status }),
      limit,
      before: next ?? Number.MAX_SAFE_INTEGER,
    })
    pets.push(...page.pets)
    next = page.next
  } while (next !== undefined)
  return pets
}

describe('after the shards were raised twice', () => {
  test.each([5, 100])('pages of %i hold every pet once, newest first', async (limit) => {
    expect(await everything(limit, {})).toEqual(all)
  })

  test.each(['available', 'pending', 'sold'] as const)('so do those of the %s', async (status) => {
    expect(await everything(7, { status })).toEqual(all.filter((pet) => pet.status === status))
  })

  test('a page that ends with the last pet tells of no next one', async () => {
    expect(await list({ limit: 96 })).toEqual({ pets: all, next: undefined })
    expect((await list({ limit: 95 })).next).toBe(all[94]?.id)
  })
})

test('readers that already cover more shards than are written see every pet', async () => {
  shards({ read: 4, write: 1 })

  const pet = await create({ name: 'Rex', categoryId: 7, status: 'sold' })

  expect((await list({ limit: 1 })).pets).toEqual([pet])
  expect((await list({ limit: 1, status: 'sold' })).pets).toEqual([pet])
})
