import { describe, expect, test } from 'vitest'
import type { CollectionId } from '../../shared/data/tables.ts'
import { type IfMatch, type Revised, tagOf } from '../../shared/model/etag.ts'
import type { Intent } from '../../shared/model/idempotency-key.ts'
import { againIfBusy, once, proxy, storedItems } from './database.ts'
import { canceled, databaseResponses, lostResponse } from './fault-proxy.ts'

type Written = Promise<Revised<{ id: number }>>

/** How to write resources of a collection, what a create reads before that, and what a change changes. */
type Resource = {
  table: CollectionId
  get: (id: number) => Written
  create: (intent?: Intent) => Promise<Awaited<Written> & { isReplay: boolean }>
  reads: object
  change: (id: number, ifMatch?: IfMatch) => Written
  changed: object
  remove: (id: number, ifMatch?: IfMatch) => Promise<void>
}

/** The tests that each resource passes, whatever its operations do besides. */
export const testResource = ({ table, reads, create, change, changed, remove, get }: Resource) =>
  describe(`a resource of ${table}`, () => {
    const intent = { clientId: 'ann', operation: table, key: 'order-1742' }
    const gone = { status: 404 }

    test.each([
      ['is throttled', databaseResponses.throttling],
      ['loses its response', lostResponse],
      ['meets another transaction', canceled('TransactionConflict')],
      ['is still running when it is resent', databaseResponses.transactionInProgress],
      ['finds another item with its id', canceled('ConditionalCheckFailed')],
    ] as const)('is created exactly once when the write %s', againIfBusy, async (_, fault) => {
      const before = await storedItems(table)
      once({ TransactWriteItems: fault })

      const { resource, revision } = await create()

      expect(proxy.counts).toEqual({ ...reads, TransactWriteItems: 2 })
      const added = (await storedItems(table)).filter(({ id }) => !before.some((other) => other.id === id))
      expect(added).toMatchObject([{ ...resource, revision, shard: 0 }])
    })

    test('is created once by requests with one intent at the same time, and not again when it was deleted', async () => {
      const results = await Promise.all(Array.from({ length: 10 }, () => create(intent)))
      await remove(Number(results[0]?.resource.id))
      const replayed = await create(intent)

      expect(results.filter(({ isReplay }) => !isReplay)).toEqual([{ ...replayed, isReplay: false }])
      expect(results.filter(({ isReplay }) => isReplay)).toEqual(Array(9).fill(replayed))
      await expect(get(replayed.resource.id)).rejects.toMatchObject(gone)
    })

    test(
      'is changed and deleted once when responses get lost, and only in the revision that If-Match names',
      againIfBusy,
      async () => {
        const { resource, revision } = await create()
        const { id } = resource

        await expect(change(id, [tagOf(id + 1, revision)])).rejects.toMatchObject({ status: 412 })
        once({ TransactWriteItems: lostResponse })
        const after = await change(id, [tagOf(id, revision)])
        const outdated = [change(id, [tagOf(id, revision)]), remove(id, [tagOf(id, revision)])]

        expect(after).toEqual({ resource: { ...resource, ...changed }, revision: expect.not.stringMatching(revision) })
        for (const each of outdated) await expect(each).rejects.toMatchObject({ status: 412 })
        expect(await get(id)).toEqual(after)
        const other = await create()
        once({ TransactWriteItems: lostResponse })
        await remove(other.resource.id, [tagOf(other.resource.id, other.revision)])
        for (const work of [get, change, remove]) await expect(work(other.resource.id)).rejects.toMatchObject(gone)
      },
    )

    test('is changed by one of ten requests that name the same revision at the same time', async () => {
      const { resource, revision } = await create()
      const ifMatch = [tagOf(resource.id, revision)]
      const attempts = Array.from({ length: 10 }, () => change(resource.id, ifMatch).catch(({ status }) => status))

      const [winner, ...others] = (await Promise.all(attempts)).filter((each) => typeof each !== 'number')

      expect(others).toEqual([])
      // On a busy machine, the change that took effect can get a 503.
      expect(await get(resource.id)).toEqual(
        winner ?? { resource: { ...resource, ...changed }, revision: expect.any(String) },
      )
    })
  })
