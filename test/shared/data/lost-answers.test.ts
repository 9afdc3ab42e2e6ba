import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { find } from '../../../shared/data/pets.ts'
import { answers, lostAnswer } from '../../support/fault-proxy.ts'
import { create } from './create.ts'
import { always, once, proxy, storedPets } from './faulty-database.ts'

const byId = (a: Record<string, unknown>, b: Record<string, unknown>) => Number(a.id) - Number(b.id)
const stored = (pet: object) => ({ ...pet, creation: expect.any(String), statusShard: 'none#0' })

let before: unknown[]

/** What was stored since the test began. */
const storedSince = async () => (await storedPets()).filter(({ id }) => !before.includes(id)).sort(byId)

beforeEach(async () => {
  before = (await storedPets()).map(({ id }) => id)
  proxy.counts = {}
})
afterEach(() => always('pass'))

test('20 pets are 20 when the answer to each put is lost once', async () => {
  const lost = new Set<unknown>()
  proxy.faultOf = ({ operation, body }) => {
    const isFirst = operation === 'PutItem' && !lost.has(body)
    lost.add(body)
    return isFirst ? lostAnswer : 'pass'
  }
  const newPets = Array.from({ length: 20 }, (_, i) => ({ name: `Rex ${i}`, categoryId: i }))

  const pets = []
  for (const newPet of newPets) pets.push(await create(newPet))

  expect(pets).toEqual(newPets.map((newPet) => ({ id: expect.any(Number), ...newPet })))
  const items = await storedSince()
  expect(items).toEqual(pets.map(stored))
  expect(new Set(items.map(({ creation }) => creation)).size).toBe(20)
})

test('a pet is one when the answer to its put is lost, and then the answer to the read that asks for it', async () => {
  once({ PutItem: lostAnswer, GetItem: lostAnswer })

  const pet = await create({ name: 'Rex', categoryId: 7 })

  expect(proxy.counts).toEqual({ PutItem: 2, GetItem: 2 })
  expect(await storedSince()).toEqual([stored(pet)])
})

describe('a pet is created, once, where a put meets once', () => {
  test.each([
    ['throttling', answers.throttling],
    ['too little throughput', answers.throughputExceeded],
    ['an error of the database', answers.internalServerError],
    ['a connection that breaks', 'cut'],
    ['a lost answer', lostAnswer],
    ['an answer that never comes', 'silence'],
  ] as const)('%s', async (_, fault) => {
    once({ PutItem: fault })

    const pet = await create({ name: 'Rex', categoryId: 7 })

    expect(proxy.counts.PutItem).toBe(2)
    expect(await storedSince()).toEqual([stored(pet)])
    expect(await find(pet.id)).toEqual(pet)
  })
})
