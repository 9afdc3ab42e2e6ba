import { describe, expect, test } from 'vitest'
import { pets } from '../../../shared/data/pets.ts'
import type { IfMatch } from '../../../shared/model/etag.ts'
import type { Intent } from '../../../shared/model/idempotency-key.ts'
import { againIfBusy, once, proxy, storedItems } from '../../support/database.ts'
import { databaseResponses, lostResponse } from '../../support/fault-proxy.ts'

/** Every collection: how to create, change and delete one of its resources. */
const collections = [
  {
    table: 'pets',
    find: pets.find,
    create: (intent?: Intent) => pets.create({ name: 'Rex', categoryId: 7, status: 'sold' }, intent),
    change: (id: number, ifMatch?: IfMatch) => pets.change(id, { name: 'Max' }, ifMatch),
    changed: { name: 'Max' },
    remove: pets.remove,
  },
] as const

describe.each(collections)('a resource of $table', ({ table, create, change, changed, remove, find }) => {
  const intent = { clientId: 'ann', operation: table, key: 'order-1742' }

  test.each([
    ['is throttled', { PutItem: databaseResponses.throttling }, 0],
    ['loses its response', { PutItem: lostResponse }, 1],
    ['loses its response, and so does the read after it', { PutItem: lostResponse, GetItem: lostResponse }, 2],
  ] as const)('is created exactly once when a write %s', againIfBusy, async (_, faults, reads) => {
    const before = await storedItems(table)
    once(faults)

    const { resource } = await create()

    expect(proxy.counts).toEqual({ PutItem: 2, ...(reads && { GetItem: reads }) })
    const stored = await storedItems(table)
    const added = stored.filter(({ id }) => !before.some((other) => other.id === id))
    expect(added).toMatchObject([{ ...resource, creation: expect.any(String), shard: 0 }])
    expect(new Set(stored.map(({ creation }) => creation)).size).toBe(stored.length)
  })

  test('is created once by requests with one intent at the same time, and not again when it was deleted', async () => {
    const results = await Promise.all(Array.from({ length: 10 }, () => create(intent)))
    await remove(Number(results[0]?.resource.id))
    const replayed = await create(intent)

    expect(results.filter(({ isReplay }) => !isReplay)).toEqual([{ ...replayed, isReplay: false }])
    expect(results.filter(({ isReplay }) => isReplay)).toEqual(Array(9).fill(replayed))
    expect(await find(replayed.resource.id)).toBeUndefined()
  })

  test(
    'is changed and deleted once when responses get lost, and only in the revision that If-Match names',
    againIfBusy,
    async () => {
      const { resource, etag } = await create()
      const { id } = resource
      const tagOf = (tagged?: { etag: string }) => [tagged?.etag.slice(1, -1) ?? '']

      await expect(change(id, [`${id + 1}`])).rejects.toMatchObject({ status: 412 })
      once({ UpdateItem: lostResponse })
      const after = await change(id, tagOf({ etag }))
      const outdated = [change(id, tagOf({ etag })), remove(id, tagOf({ etag }))]

      expect(after).toEqual({ resource: { ...resource, ...changed }, etag: expect.not.stringMatching(etag) })
      for (const each of outdated) await expect(each).rejects.toMatchObject({ status: 412 })
      expect(await find(id)).toEqual(after)
      once({ UpdateItem: lostResponse })
      expect(await remove(id, tagOf(after))).toBe(true)
      expect([await find(id), await change(id), await remove(id)]).toEqual([undefined, undefined, false])
    },
  )

  test('is changed by one of ten requests that name the same revision at the same time', async () => {
    const { id } = (await create()).resource
    const attempts = Array.from({ length: 10 }, () => change(id, [`${id}`]).catch(({ status }) => status))

    const [winner, ...others] = (await Promise.all(attempts)).filter((each) => typeof each !== 'number')

    expect(others).toEqual([])
    // On a busy machine, the change that took effect can get a 503. The tag has the number of changes.
    const changedOnce = expect.objectContaining({ etag: expect.stringMatching(/-1"$/) })
    expect(await find(id)).toEqual(winner ?? changedOnce)
  })
})
