import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import * as pets from '../../../shared/data/pets.ts'
import type { Int64 } from '../../../shared/model/int64.ts'
import { type NewPet, type Pet, type PetChanges, PetStatus } from '../../../shared/model/pet.ts'
import { putItem } from '../../support/database.ts'

const create = async (newPet: NewPet): Promise<Pet> => (await pets.create(newPet)).resource
const find = async (id: Int64) => (await pets.find(id))?.resource
const update = async (id: Int64, changes: PetChanges) => (await pets.change(id, changes))?.resource
const remove = (id: Int64) => pets.remove(id)
const list = async ({ status, ...page }: { status?: PetStatus; limit: number; before?: number }) => {
  const { items, next } = await pets.list({ ...page, status })
  return { pets: items, next }
}

const setShards = ({ read, write }: { read: number; write: number }) => {
  vi.stubEnv('READ_SHARDS', String(read))
  vi.stubEnv('WRITE_SHARDS', String(write))
}

const pagesOf = async (limit: number, filter: { status?: PetStatus; before?: number } = {}): Promise<Pet[][]> => {
  const { pets, next } = await list({ limit, ...filter })
  return next === undefined ? [pets] : [pets, ...(await pagesOf(limit, { ...filter, before: next }))]
}

afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

// The tests of lists come first, because they expect no other pets.
describe('list', async () => {
  const pet = (name: string, status?: PetStatus) => create({ name, categoryId: 7, ...(status && { status }) })
  const idOf = ({ id }: Pet) => Number(id)

  const [ada, bob, cat] = [await pet('Ada', 'available'), await pet('Bob', 'sold'), await pet('Cat')]
  const [dot, eve, fay] = [await pet('Dot', 'available'), await pet('Eve', 'pending'), await pet('Fay', 'sold')]
  const [gus, hal] = [await pet('Gus'), await pet('Hal', 'available')]
  const all = [hal, gus, fay, eve, dot, cat, bob, ada]

  test.each([
    { limit: 100, expected: { pets: all, next: undefined } },
    { limit: 100, status: 'available', expected: { pets: [hal, dot, ada], next: undefined } },
    { limit: 100, status: 'pending', expected: { pets: [eve], next: undefined } },
    { limit: 100, status: 'sold', expected: { pets: [fay, bob], next: undefined } },
    // A page that does not have all pets, and one that has exactly all.
    { limit: 3, expected: { pets: [hal, gus, fay], next: fay.id } },
    { limit: 1, status: 'sold', expected: { pets: [fay], next: fay.id } },
    { limit: 8, expected: { pets: all, next: undefined } },
    { limit: 2, status: 'sold', expected: { pets: [fay, bob], next: undefined } },
    // `before` is the id of a pet in the list, of a pet that is not in it, and of none.
    { limit: 2, before: idOf(fay), expected: { pets: [eve, dot], next: dot.id } },
    { limit: 2, before: idOf(fay), status: 'available', expected: { pets: [dot, ada], next: undefined } },
    { limit: 2, before: idOf(cat) + 1, expected: { pets: [cat, bob], next: bob.id } },
    { limit: 2, before: idOf(ada), expected: { pets: [], next: undefined } },
    { limit: 2, before: 0, expected: { pets: [], next: undefined } },
  ] as const)('returns the newest pets, and where the next page starts: %o', async ({ expected, ...query }) => {
    expect(await list(query)).toEqual(expected)
  })

  test.each([1, 2, 3, 5, 7, 8, 9])('returns each pet once in pages of %i', async (limit) => {
    const pages = await pagesOf(limit)

    expect(pages.flat()).toEqual(all)
    expect(pages).toHaveLength(Math.ceil(8 / limit))
  })
})

describe('shards', () => {
  const all: Pet[] = []
  const add = async (i: number) => {
    const status = [...PetStatus.options, undefined][i % 4]
    all.unshift(await create({ name: `Rex ${i}`, categoryId: i, ...(status && { status }) }))
  }

  /** All pets from the newest to the oldest, while others are added. */
  const walk = async (status?: PetStatus, before?: number): Promise<Pet[]> => {
    const { pets, next } = await list({ limit: 17, ...(status && { status }), ...(before && { before }) })
    await add(next ?? 0)
    return next === undefined ? pets : [...pets, ...(await walk(status, next))]
  }

  beforeAll(async () => {
    all.push(...(await list({ limit: 100 })).pets)
  })

  // In this order, one set of pets has its shards raised twice, each time in two steps: first for reading.
  describe.each([
    { read: 1, write: 1, added: 84 },
    { read: 2, write: 1, added: 1 },
    { read: 2, write: 2, added: 83 },
    { read: 5, write: 2, added: 1 },
    { read: 5, write: 5, added: 83 },
  ])('$read to read and $write to write', ({ read, write, added }) => {
    beforeAll(async () => {
      setShards({ read, write })
      for (let i = 0; i < added; i++) await add(i)
    })
    beforeEach(() => setShards({ read, write }))

    test.each([undefined, ...PetStatus.options])('pages with the status %s have its pets once', async (status) => {
      const expected = all.filter((pet) => status === undefined || pet.status === status)

      expect(await walk(status)).toEqual(expected)
    })
  })

  test.each(['0', '-1', '1.5', 'x'])('a number of shards that is %j is a bug, and no empty list', async (count) => {
    vi.stubEnv('READ_SHARDS', count)
    vi.stubEnv('WRITE_SHARDS', count)
    const work = [list({ limit: 1 }), list({ limit: 1, status: 'sold' }), create({ name: 'Rex', categoryId: 7 })]

    const errors = await Promise.all(work.map((each: Promise<unknown>) => each.catch((error) => error)))

    const read = new Error('READ_SHARDS must be a positive integer.')
    expect(errors).toEqual([read, read, new Error('WRITE_SHARDS must be a positive integer.')])
  })
})

test.each([
  { name: 'Rex', categoryId: 7, status: 'sold' },
  { name: ' 🐕 e\u0301 \0 ', categoryId: 0 },
  { name: 'x'.repeat(1000), categoryId: 9223372036854775807n },
  { name: '🐕'.repeat(1000), categoryId: -9223372036854775808n, status: 'available' },
  { name: 'Rex', categoryId: 9007199254740991, status: 'pending' },
] as const)('create stores the pet as it is: %#', async (newPet) => {
  const pet = await create(newPet)

  expect(pet).toEqual({ id: expect.any(Number), ...newPet })
  expect(await find(pet.id)).toStrictEqual(pet)
})

test('create takes the next id when one is in use, and leaves the other pets as they are', async () => {
  const first = 3_360_935_116_802_048 // What is drawn at this moment with `Math.random()` at 0.5.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2050-01-01T00:00:00Z') })
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const others = [0, 1, 2].map((i) => ({ id: first + i, name: `Other ${i}`, categoryId: 1 }))
  // The last one has no creation token.
  for (const [i, other] of others.entries()) {
    await putItem('pets', { ...other, shard: 0, ...(i < 2 && { creation: 'x' }) })
  }
  const deleted = first + 3
  await putItem('pets', { id: deleted, creation: 'x', deletion: 'y', expiresAt: 2_600_000_000 })

  const pet = await create({ name: 'Rex', categoryId: 7 })

  expect(pet).toEqual({ id: first + 4, name: 'Rex', categoryId: 7 })
  expect(await find(first + 4)).toEqual(pet)
  expect(await Promise.all(others.map(({ id }) => find(id)))).toEqual(others)
  expect(await find(deleted)).toBeUndefined()
})

const unknownIds = [0, 1, -1, 9007199254740991, 9223372036854775807n, -9223372036854775808n]
test.each(unknownIds)('find, update and remove find no pet with the id %s', async (id) => {
  expect([await find(id), await update(id, { name: 'Rex' }), await remove(id)]).toEqual([undefined, undefined, false])
  expect(await find(id)).toBeUndefined()
})

/** The lists that have a pet: of all pets, and of those with each status. */
const listsWith = async ({ id }: Pet) => {
  const has = async (status?: PetStatus) =>
    (await pagesOf(100, status && { status })).flat().some((pet) => pet.id === id)
  return { all: await has(), available: await has('available'), pending: await has('pending'), sold: await has('sold') }
}
const nowhere = { all: false, available: false, pending: false, sold: false }

test.each([
  [{ status: 'sold' }, { sold: true }],
  [{ status: 'available', name: 'Max' }, { available: true }],
  [{ status: null }, {}],
  [{ name: 'Max', categoryId: 9223372036854775807n }, { available: true }],
] as const)(
  'update returns and stores the pet with the changes %o, and moves it to the lists %o',
  async (changes, lists) => {
    const pet = await create({ name: 'Rex', categoryId: 7, status: 'available' })

    const updated = await update(pet.id, changes)

    const { status, ...expected } = { ...pet, ...changes }
    expect(updated).toStrictEqual({ ...expected, ...(status && { status }) })
    expect(await find(pet.id)).toStrictEqual(updated)
    expect(await listsWith(pet)).toEqual({ ...nowhere, all: true, ...lists })
  },
)

test('a deleted pet is in no list, and cannot be found, changed or deleted', async () => {
  const pet = await create({ name: 'Rex', categoryId: 7, status: 'available' })

  expect(await remove(pet.id)).toBe(true)

  expect(await listsWith(pet)).toEqual(nowhere)
  expect(await find(pet.id)).toBeUndefined()
  expect([await update(pet.id, { status: 'sold' }), await remove(pet.id)]).toEqual([undefined, false])
  expect(await listsWith(pet)).toEqual(nowhere)
})

test('concurrent changes of different fields all take effect, also with a delete at the same time', async () => {
  const [rex, max] = [await create({ name: 'Rex', categoryId: 7 }), await create({ name: 'Max', categoryId: 7 })]
  const changes = [{ name: 'Tom' }, { categoryId: 8 }, { status: 'sold' }] as const

  await Promise.all(changes.map((each) => update(rex.id, each)))
  const isDeleted = Promise.all([...changes.map((each) => update(max.id, each)), remove(max.id)]).then((all) =>
    all.at(-1),
  )

  expect(await find(rex.id)).toEqual({ id: rex.id, name: 'Tom', categoryId: 8, status: 'sold' })
  expect(await isDeleted).toBe(true)
  expect([await find(max.id), await listsWith(max)]).toEqual([undefined, nowhere])
})

describe.each([1, 5])('with %i shards, while others change and delete pets', (shards) => {
  test.each([undefined, 'sold'] as const)(
    'pages with the status %s have no pet twice and lack none',
    async (status) => {
      setShards({ read: shards, write: shards })
      const created: Pet[] = []
      for (let i = 0; i < 40; i++) {
        created.push(await create({ name: `Rex ${i}`, categoryId: i, status: i % 2 ? 'sold' : 'available' }))
      }
      const unchanged = created.filter(({ status: own }, i) => i % 4 < 2 && (!status || own === status))
      const others = created.filter((_, i) => i % 4 >= 2)

      const listed: Pet[] = []
      for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
        const page = await list({ limit: 3, before, ...(status && { status }) })
        listed.push(...page.pets)
        before = page.next
        // Of pets that were listed already and of others.
        const [newer, older] = [others.pop(), others.shift()]
        if (newer) await update(newer.id, { status: newer.status === 'sold' ? 'available' : 'sold' })
        if (older) await remove(older.id)
      }

      const ids = listed.map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      expect(listed).toEqual(expect.arrayContaining(unchanged))
    },
  )
})
