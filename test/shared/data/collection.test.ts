import { NumberValue } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { collection } from '../../../shared/data/collection.ts'
import type { Page } from '../../../shared/data/page.ts'
import { newId } from '../../../shared/model/id.ts'
import { Text } from '../../../shared/model/text.ts'
import { alone } from '../../support/alone.ts'
import { once, proxy, putItem, storedItem } from '../../support/database.ts'
import { example, has } from '../../support/example.ts'
import { databaseResponses } from '../../support/fault-proxy.ts'
import { filter, type Toy, toyOf, toys } from '../../support/toys.ts'

const { table } = example
const { field, index, value, other } = filter
const changes = { inscription: 'Max' }

const create = async (inscription: string, of?: typeof value | typeof other): Promise<Toy> =>
  (await toys.create({ inscription, ...(of && { [field]: of }) })).resource

const setShards = ({ read, write }: Record<'read' | 'write', unknown>) => {
  vi.stubEnv('READ_SHARDS', `${read}`)
  vi.stubEnv('WRITE_SHARDS', `${write}`)
}

afterEach(() => vi.unstubAllEnvs())

// The tests of lists come first, because they expect nothing else.
describe('list', async () => {
  const [a, b, c, d] = [
    await create('a', other),
    await create('b', value),
    await create('c'),
    await create('d', other),
  ]
  const [e, f, g, h] = [
    await create('e'),
    await create('f', value),
    await create('g'),
    await create('h', other),
  ]
  const all = [h, g, f, e, d, c, b, a]

  const end = undefined
  test.skipIf(!has.filter).each([
    { limit: 100, expected: { items: all, next: end } },
    { limit: 100, [field]: other, expected: { items: [h, d, a], next: end } },
    // A page that does not have all, and one that has exactly all.
    { limit: 1, [field]: value, expected: { items: [f], next: f.id } },
    { limit: 8, expected: { items: all, next: end } },
    // `cursor` is an id in the list, and one that is not in it.
    { limit: 2, cursor: f.id, expected: { items: [e, d], next: d.id } },
    { limit: 2, cursor: c.id + 1, expected: { items: [c, b], next: b.id } },
    { limit: 2, cursor: a.id, expected: { items: [], next: end } },
    { limit: 2, after: c.id, cursor: g.id, expected: { items: [f, e], next: e.id } },
    { limit: 1, after: a.id, cursor: h.id, [field]: other, expected: { items: [d], next: end } },
  ])(
    'returns the newest with one query, and where the next page starts: %o',
    async ({ expected, ...page }) => {
      const requests: object[] = []
      proxy.faultOf = ({ operation, body }) => {
        requests.push({ operation, ...JSON.parse(body) })
        return 'pass'
      }

      expect(await toys.list(page)).toEqual(expected)
      // One more item than the page has tells whether it is the last.
      const IndexName = field in page ? index : 'newest'
      expect(requests).toMatchObject([{ operation: 'Query', IndexName, Limit: page.limit + 1 }])
    },
  )
})

test.each([{ cursor: 0 }, { cursor: 8, after: 7 }])(
  'has nothing, and needs no query, where no id can be: %o',
  async (range) => {
    expect(await toys.list({ limit: 2, ...range })).toEqual({ items: [], next: undefined })
    expect(proxy.counts).toEqual({})
  },
)

describe('shards', () => {
  const all: Toy[] = []
  const add = async (i: number) =>
    all.unshift(await create(`${i}`, [value, other, undefined][i % 3]))

  type Range = { [field]?: typeof value | typeof other; cursor?: number; after?: number }

  /** All resources of a range from the newest to the oldest, while others are added. */
  const walk = async (range: Range): Promise<Toy[]> => {
    const { items, next } = await toys.list({ limit: 7, ...range })
    await add(next ?? 0)
    return next === undefined ? items : [...items, ...(await walk({ ...range, cursor: next }))]
  }

  test('the pages have each resource once, also while shards are raised, first for reading', async () => {
    all.push(...(await toys.list({ limit: 100 })).items)
    for (const [read, write] of [
      [1, 1],
      [3, 1],
      [3, 3],
    ] as const) {
      setShards({ read, write })
      for (let i = 0; i < 20; i++) await add(i)

      for (const of of has.filter ? [undefined, value] : [undefined]) {
        const expected = all.filter((each) => of === undefined || each[field] === of)
        const [end, start] = [expected[3]?.id, expected.at(-4)?.id]
        expect(await walk({ [field]: of })).toEqual(expected)
        expect(await walk({ [field]: of, cursor: end, after: start })).toEqual(
          expected.slice(4, -4),
        )
      }
    }
  })

  test.each(['0', '1.5'])(
    'a number of shards that is %j is a bug, and no empty list',
    async (count) => {
      setShards({ read: count, write: count })

      await expect(toys.list({ limit: 1 })).rejects.toThrow(
        'READ_SHARDS must be a positive integer.',
      )
      await expect(create('a')).rejects.toThrow('WRITE_SHARDS must be a positive integer.')
    },
  )
})

test('items of up to 400 KB are listed once, while others are added and deleted, whatever fails', async () => {
  const ids = Array.from({ length: 14 }, newId)
  for (const [i, id] of ids.entries()) {
    const padding = 'x'.repeat(i === 3 ? 400_000 : 200_000)
    // Uneven, so that the queries of the two shards end at different ids.
    const shard = i % 4 === 0 ? 1 : 0
    await putItem(table, { id, inscription: `${i}`, shard, padding, revision: 'x' })
  }
  setShards({ read: 2, write: 2 })
  const [deleted = 0, ...kept] = ids
  const listed: number[] = []
  let pages = 0
  for (let cursor: number | undefined = newId(); cursor && cursor > deleted; pages++) {
    once({ Query: databaseResponses.internalServerError })
    const { items, next }: Page<Toy> = await toys.list({ limit: 100, cursor })
    listed.push(...items.map(({ id }) => id))
    cursor = next
    if (pages === 0) await toys.remove(deleted)
    await create('a')
  }

  expect(listed.filter((id) => ids.includes(id))).toEqual(kept.toReversed())
  expect(pages).toBeGreaterThan(1)
})

/** The shard of a resource, and its partition in the index of the filter. */
const partitionsOf = async (id: number) => {
  const { shard, [`${field}Shard`]: filtered } = (await storedItem(id)) ?? {}
  return [shard, filtered]
}

test.skipIf(!has.filter).each([
  [{ [field]: value }, `${value}#0`],
  [{ [field]: null }, undefined],
  [{ ...changes, serialNumber: 9223372036854775807n }, `${other}#0`],
])(
  'change returns and stores the resource with %o, and moves it to the partition %s',
  async (changes, partition) => {
    const { id, ...before } = await create('a', other)

    const changed = await toys.change(id, changes)

    const { [field]: after, ...expected } = { id, ...before, ...changes }
    expect(changed.resource).toStrictEqual({ ...expected, ...(after ? { [field]: after } : {}) })
    expect(await toys.get(id)).toStrictEqual(changed)
    expect(await partitionsOf(id)).toEqual([0, partition])
  },
)

test('a change keeps attributes that it has no value for, or that this version does not know', async () => {
  const { id } = await create('a')
  const others = { serialNumber: 7, since: 'a later version' }
  await putItem(table, { ...(await storedItem(id)), ...others })

  await toys.change(id, { ...changes, serialNumber: undefined })

  expect(await storedItem(id)).toMatchObject({ ...changes, ...others })
})

test.skipIf(!has.filter)(
  'an item stays in the shard that it was stored in, if lists read it',
  async () => {
    setShards({ read: 5, write: 1 })
    const { id } = await create('a', value)
    await putItem(table, { ...(await storedItem(id)), shard: 3 })
    setShards({ read: 5, write: 5 })

    await toys.change(id, { [field]: other })
    const kept = await partitionsOf(id)
    setShards({ read: 3, write: 1 })
    await toys.change(id, changes)

    expect(kept).toEqual([3, `${other}#3`])
    expect(await partitionsOf(id)).toEqual([0, `${other}#0`])
  },
)

describe('an item of an earlier version', () => {
  const fields = toyOf({
    size: v.optional(v.number(), 7),
    color: v.optional(v.string()),
    name: v.string(),
  })
  const own = { title: v.string(), count: v.optional(v.number(), 0) }
  const later = alone(
    collection(table, fields, { own, derived: { name: [v.string(), ({ title }) => title] } }),
  )
  const early = (id: number) => ({ id, title: 'Top', color: 'blue', shard: 0, revision: 'x' })
  const resource = (id: number) => ({ id, name: 'Top', size: 7, color: 'blue' })

  test('is read and listed with defaults and derived fields, and stored with them when it changes', async () => {
    await putItem(table, early(1))

    expect(await later.get(1)).toEqual({ resource: resource(1), revision: 'x' })
    expect((await later.list({ limit: 1, cursor: 2 })).items).toEqual([resource(1)])
    const { revision } = await later.change(1, { color: null, size: 8 })
    expect(await storedItem(1)).toEqual({
      id: 1,
      title: 'Top',
      name: 'Top',
      size: 8,
      count: 0,
      shard: 0,
      revision,
    })
  })

  test.each([
    ['name', { title: undefined }],
    ['size', { size: NumberValue.from('1.00000000000000000001') }],
    ['count', { count: NumberValue.from('12345678901234567891') }],
  ])('is an error that names it and its %s if it cannot be read', async (field, edited) => {
    await putItem(table, { ...early(2), ...edited })

    const error = new Error(
      `The item 2 of ${table} has no ${field}, or one that JavaScript would round.`,
    )
    await expect(later.get(2)).rejects.toEqual(error)
    await expect(later.list({ limit: 1, cursor: 3 })).rejects.toEqual(error)
  })
})

describe('a derived field', () => {
  const Painted = toyOf({ color: v.picklist([value, other]), isSold: v.optional(v.boolean()) })
  const current = collection(table, Painted, {
    derived: {
      [field]: [v.string(), ({ color, isSold }) => (isSold ? undefined : color)],
    } as const,
  })
  const earlier = alone(collection(table, Painted))
  const painted = alone(current)

  test.skipIf(!has.filter)(
    'is right after each write, and a rewrite mends what an earlier version has left',
    async () => {
      const { id } = (await painted.create({ color: value })).resource
      const partitions: unknown[] = []
      const steps = [
        () => earlier.change(id, { color: other }),
        () => painted.change(id, { color: other }),
        () => earlier.change(id, { isSold: true }),
        async () => putItem(table, current.itemOf((await storedItem(id)) ?? {})),
      ]
      for (const step of steps) {
        await step()
        partitions.push((await partitionsOf(id))[1])
      }

      // The earlier version leaves it stale.
      expect(partitions).toEqual([`${value}#0`, `${other}#0`, `${other}#0`, undefined])
    },
  )

  test('is not returned if the schema of the resource lacks it, and cannot be set', async () => {
    const { resource } = await painted.create({ color: value })
    const set = { color: value, [field]: other }

    expect(resource).toEqual({ id: resource.id, color: value })
    await expect(painted.create(set as never)).rejects.toThrow(
      `${field} of ${table} cannot be set: it is derived, or there is no such field.`,
    )
  })
})

describe('what breaks its schema is an error, and is not stored:', () => {
  const Money = toyOf({
    name: Text(5),
    amount: v.pipe(v.number(), v.minValue(0)),
    note: v.optional(Text(500_000)),
  })
  const coins = alone(
    collection(table, Money, {
      own: { count: v.pipe(v.number(), v.maxValue(2)) },
      derived: { double: [v.pipe(v.number(), v.maxValue(10)), ({ amount }) => 2 * amount] },
    }),
  )
  const coin = { name: 'a', amount: 1 }

  test.each([
    ['name', 'a text', { name: '' }],
    ['amount', 'a number', { amount: -4.7 }],
    ['count', 'an own field', { count: 3 }],
    ['double', 'a derived field', { amount: 6 }],
  ])('the %s, %s', async (name, _, wrong) => {
    const { resource } = await coins.create(coin)
    const before = await storedItem(resource.id)
    const error = new Error(`${name} of ${table} would get a value that its schema does not allow.`)

    await expect(coins.create({ ...coin, ...wrong })).rejects.toEqual(error)
    await expect(coins.change(resource.id, wrong)).rejects.toEqual(error)

    expect(await storedItem(resource.id)).toEqual(before)
  })

  test('a required field without a value', async () => {
    await expect(coins.create({ ...coin, name: undefined } as never)).rejects.toThrow(/has no name/)
  })

  test('but not what was stored by another version, and stays', async () => {
    const { resource } = await coins.create(coin)
    await putItem(table, { ...(await storedItem(resource.id)), name: 'too long now', amount: -1 })

    const changed = await coins.change(resource.id, { note: 'b' })

    expect(changed.resource).toEqual({
      id: resource.id,
      name: 'too long now',
      amount: -1,
      note: 'b',
    })
  })

  test('an item of more than 400 KB is a 413', async () => {
    const { resource } = await coins.create({ ...coin, note: 'é'.repeat(200_000) })

    const change = coins.change(resource.id, { note: 'é'.repeat(205_000) })

    await expect(change).rejects.toMatchObject({
      status: 413,
      message: expect.stringContaining('400 KB'),
    })
    expect((await storedItem(resource.id))?.note).toHaveLength(200_000)
  })
})
