import { NumberValue } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { collection } from '../../../shared/data/collection.ts'
import { Id, newId } from '../../../shared/model/id.ts'
import { Pet, type PetStatus } from '../../../shared/pets/pet.ts'
import { pets as withTransaction } from '../../../shared/pets/pets.ts'
import { failOnce, proxy, putItem, storedItem } from '../../support/database.ts'
import { databaseResponses } from '../../support/fault-proxy.ts'
import { inOwnTransactions } from '../../support/in-own-transactions.ts'

const pets = inOwnTransactions(withTransaction)

const create = async (name: string, status?: PetStatus): Promise<Pet> =>
  pets.create({ name, categoryId: 7, ...(status && { status }) })

const setShards = ({ read, write }: Record<'read' | 'write', unknown>) => {
  vi.stubEnv('READ_SHARDS', `${read}`)
  vi.stubEnv('WRITE_SHARDS', `${write}`)
}

afterEach(() => vi.unstubAllEnvs())

// The tests of lists come first, because they expect nothing else.
describe('list', async () => {
  const [a, b, c, d] = [
    await create('a', 'sold'),
    await create('b', 'available'),
    await create('c'),
    await create('d', 'sold'),
  ]
  const all = [d, c, b, a]

  const end = undefined
  test.each([
    { limit: 100, expected: { items: all, next: end } },
    { limit: 100, filter: { status: 'sold' }, expected: { items: [d, a], next: end } },
    // A page that does not have all, and one that has exactly all.
    { limit: 1, filter: { status: 'sold' }, expected: { items: [d], next: d.id } },
    { limit: 4, expected: { items: all, next: end } },
    // `cursor` is an id in the list, and one that is not in it.
    { limit: 2, cursor: d.id, expected: { items: [c, b], next: b.id } },
    { limit: 2, cursor: c.id + 1, expected: { items: [c, b], next: b.id } },
    { limit: 2, cursor: a.id, expected: { items: [], next: end } },
  ] as const)(
    'returns the newest pets with one query, and the cursor of the next page: %o',
    async ({ expected, ...page }) => {
      const requests: object[] = []
      proxy.faultOf = ({ operation, body }) => {
        requests.push({ operation, ...JSON.parse(body) })
        return 'pass'
      }

      expect(await pets.list(page)).toEqual(expected)
      // One more item than the page has tells whether it is the last.
      const IndexName = 'filter' in page ? 'byStatus' : 'newest'
      expect(requests).toMatchObject([{ operation: 'Query', IndexName, Limit: page.limit + 1 }])
    },
  )

  test.each([
    [{ name: 'a' }, 'The table does not have the specified index: byName'],
    [{ status: 'sold', name: 'a' }, 'A list can be filtered by one field.'],
  ] as const)('throws an error for the filter %o', async (filter, message) => {
    await expect(pets.list({ limit: 1, filter })).rejects.toHaveProperty('message', message)
  })
})

describe('shards', () => {
  const all: Pet[] = []
  const add = async (i: number) =>
    all.unshift(await create(`${i}`, (['available', 'sold', undefined] as const)[i % 3]))

  /** All pets of a list from the newest to the oldest, while others are added. */
  const walk = async (status: PetStatus | undefined, cursor?: number): Promise<Pet[]> => {
    const { items, next } = await pets.list({ limit: 7, cursor, filter: { status } })
    await add(next ?? 0)
    return next === undefined ? items : [...items, ...(await walk(status, next))]
  }

  test('pages have each pet once while shards are added, for reading first', async () => {
    all.push(...(await pets.list({ limit: 100 })).items)
    for (const [read, write] of [
      [1, 1],
      [3, 1],
      [3, 3],
    ] as const) {
      setShards({ read, write })
      for (let i = 0; i < 20; i++) await add(i)

      for (const status of [undefined, 'available'] as const) {
        const expected = all.filter((pet) => status === undefined || pet.status === status)
        expect(await walk(status)).toEqual(expected)
      }
    }
  })

  test('a page has a next one if all shards together have more than its limit', async () => {
    setShards({ read: 2, write: 2 })
    for (const id of [11, 12, 13]) {
      const pet = { id, name: 'a', categoryId: 7, status: 'pending', revision: 'x' }
      await putItem('pets', { ...pet, shard: id % 2, statusShard: `pending#${id % 2}` })
    }

    const { items, next } = await pets.list({ limit: 2, filter: { status: 'pending' } })

    expect([items.map(({ id }) => id), next]).toEqual([[13, 12], 12])
  })

  test.each(['0', '1.5'])('a number of %j is an error, not an empty list', async (count) => {
    setShards({ read: count, write: count })

    await expect(pets.list({ limit: 1 })).rejects.toThrow('READ_SHARDS must be a positive integer.')
    await expect(create('a')).rejects.toThrow('WRITE_SHARDS must be a positive integer.')
  })
})

test('large items are listed once while others are added and deleted', async () => {
  const ids = Array.from({ length: 14 }, newId)
  for (const [i, id] of ids.entries()) {
    const padding = 'x'.repeat(i === 3 ? 400_000 : 200_000)
    // Uneven, so that the queries of the two shards end at different ids.
    const shard = i % 4 === 0 ? 1 : 0
    await putItem('pets', { id, name: `${i}`, categoryId: 7, shard, padding, revision: 'x' })
  }
  setShards({ read: 2, write: 2 })
  const [deleted = 0, ...kept] = ids
  const listed: number[] = []
  let pages = 0
  for (let cursor: number | undefined = newId(); cursor && cursor > deleted; pages++) {
    failOnce({ Query: databaseResponses.internalServerError })
    const page: { items: Pet[]; next: number | undefined } = await pets.list({ limit: 100, cursor })
    listed.push(...page.items.map(({ id }) => id))
    cursor = page.next
    if (pages === 0) await pets.remove(deleted, undefined)
    await create('a')
  }

  expect(listed.filter((id) => ids.includes(id))).toEqual(kept.toReversed())
  expect(pages).toBeGreaterThan(1)
})

/** The shard of a pet, and its partition in the index of the filter. */
const partitionsOf = async (id: number) => {
  const { shard, statusShard } = (await storedItem(id)) ?? {}
  return [shard, statusShard]
}

test('a change keeps fields that it does not set, and attributes of a later version', async () => {
  const { id } = await create('a', 'sold')
  await putItem('pets', { ...(await storedItem(id)), since: 'a later version' })

  await pets.change(id, { name: 'Max', categoryId: undefined }, undefined)

  const kept = { categoryId: 7, status: 'sold', since: 'a later version' }
  expect(await storedItem(id)).toMatchObject({ name: 'Max', ...kept })
})

test('an item stays in its shard if lists read that shard', async () => {
  setShards({ read: 5, write: 1 })
  const { id } = await create('a', 'available')
  await putItem('pets', { ...(await storedItem(id)), shard: 3 })
  setShards({ read: 5, write: 5 })

  await pets.change(id, { status: 'sold' }, undefined)
  const kept = await partitionsOf(id)
  setShards({ read: 3, write: 1 })
  await pets.change(id, { name: 'Max' }, undefined)

  expect(kept).toEqual([3, 'sold#3'])
  expect(await partitionsOf(id)).toEqual([0, 'sold#0'])
})

test('a pet of an earlier version is read and listed with defaults, and stored with them when it changes', async () => {
  const sizes = { size: v.optional(v.number(), 7), visits: v.optional(v.number(), 0) }
  const later = inOwnTransactions(collection('pets', v.object({ ...Pet.entries, ...sizes })))
  const early = { id: 1, name: 'Rex', categoryId: 7, shard: 0, revision: 'x' }
  await putItem('pets', early)

  const asRead = { ...early, size: 7, visits: 0 }
  expect(await later.get(1)).toEqual(asRead)
  expect((await later.list({ limit: 1, cursor: 2 })).items).toEqual([asRead])
  const { revision } = await later.change(1, { name: 'Max' }, undefined)
  expect(await storedItem(1)).toMatchObject({ ...asRead, name: 'Max', revision })
})

describe('a damaged pet', () => {
  const damaged = { id: 20, name: 'Rex', categoryId: 7, shard: 0, revision: 'x' }
  const sound = { ...damaged, id: 19 }
  const page = { limit: 1, cursor: 21 }
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})

  beforeEach(() => log.mockClear())

  test.each<[string, object]>([
    ['name', { name: undefined }],
    // JavaScript would round them.
    ['categoryId', { categoryId: NumberValue.from('1.00000000000000000001') }],
    ['categoryId', { categoryId: NumberValue.from('1e100') }],
    ['revision', { revision: undefined }],
  ])(
    'without a valid %s is left out of lists, and an error if it is read: %j',
    async (name, edit) => {
      await putItem('pets', { ...damaged, ...edit })
      await putItem('pets', sound)
      const problem = `The item 20 of pets has no valid ${name}.`

      await expect(pets.get(20)).rejects.toThrow(problem)
      expect(log).not.toHaveBeenCalled() // The log of the 500 has it.
      expect(await pets.list(page)).toEqual({ items: [], next: 20 })
      expect((await pets.list({ ...page, cursor: 20 })).items).toEqual([sound])
      const line = `A list leaves an item out: Error: ${problem}`
      expect(log.mock.calls).toEqual([[line]])
    },
  )

  test('is not one whose value breaks a rule: a later release may have made it stricter', async () => {
    const old = { ...damaged, name: 'x'.repeat(1001), status: 'gone' }
    await putItem('pets', old)

    expect(await pets.get(20)).toEqual(old)
    expect((await pets.list(page)).items).toEqual([old])
    const { revision } = await pets.change(20, { categoryId: 8 }, undefined)
    expect(await pets.get(20)).toMatchObject({ ...old, categoryId: 8, revision })
  })
})

test.each([
  [v.picklist([1, 2]), 3],
  [v.literal('a'), 'b'],
  [v.union([v.literal(1), v.literal(2)]), 3],
  [v.array(v.picklist(['a', 'b'])), ['c']],
])('an item is not damaged by a value that an earlier release took: %#', async (size, stored) => {
  const sized = inOwnTransactions(collection('pets', v.object({ ...Pet.entries, size })))
  const pet = { id: 20, name: 'Rex', categoryId: 7, size: stored, shard: 0, revision: 'x' }
  await putItem('pets', pet)

  expect((await sized.list({ limit: 1, cursor: 21 })).items).toEqual([pet])
  expect(await sized.change(20, { name: 'Max' }, undefined)).toMatchObject({ size: stored })
})

describe('a value that breaks its schema is an error, and is not stored:', () => {
  const stored = inOwnTransactions(
    collection('pets', v.object({ ...Pet.entries, mother: v.optional(Id) })),
  )

  test.each([
    ['name', { name: '' }],
    ['categoryId', { categoryId: 2n ** 63n }],
    ['mother', { mother: -1 }],
    ['shard', { shard: 1 }],
  ])('%s', async (name, wrong: object) => {
    const { id } = await create('a')
    const before = await storedItem(id)
    const problem = new RegExp(`^The item \\d+ of pets has no valid ${name}\\.$`)

    await expect(stored.create({ name: 'b', categoryId: 7, ...wrong })).rejects.toThrow(problem)
    await expect(stored.change(id, wrong, undefined)).rejects.toThrow(problem)

    expect(await storedItem(id)).toEqual(before)
  })
})
