import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { Pace } from '../../../infra/commands/pace.ts'
import { rewrite } from '../../../infra/commands/rewrite.ts'
import { tableName } from '../../../shared/data/tables.ts'
import { pets } from '../../../shared/pets/pets.ts'
import { storedPets } from '../../../shared/pets/stored-pets.ts'
import { deleteItem, proxy, putItem, type StoredItem, storedItems } from '../../support/database.ts'
import { databaseResponses, type Fault, lostResponse } from '../../support/fault-proxy.ts'
import { inOwnTransactions } from '../../support/in-own-transactions.ts'
import { newPet, storedPet } from '../../support/pets.ts'
import { startCommand } from '../../support/run-command.ts'
import { exampleCredentials } from '../../support/secrets.ts'

/** A pet of a version that had no index. */
const early = (id: number): StoredItem =>
  Object.fromEntries(Object.entries(storedPet(id)).filter(([name]) => !/shard$/i.test(name)))
const { create, change, remove } = inOwnTransactions(pets)
const current = (item: StoredItem): StoredItem => storedPets.upgradedItem(item)

const start = () => {
  const env = { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint, ...exampleCredentials }
  const options = ['--stage', 'local', '--collection', 'pets']
  return startCommand('commands/rewrite', options, env)
}

const printed = vi.spyOn(console, 'info').mockImplementation(() => {})
const plan = {
  table: tableName('pets'),
  collection: storedPets,
  signal: new AbortController().signal,
}
/** Rewrites in this process. Returns what it has printed, and the message of its error. */
const run = async (changes: Partial<typeof plan> = {}) => {
  printed.mockClear()
  const error = await rewrite({ ...plan, ...changes }).catch(({ message }) => message)
  return { lines: printed.mock.calls.flat().toSorted(), error }
}

const byId = (items: StoredItem[]) => new Map(items.map((item) => [item.id, item]))
const putEarly = async (count: number): Promise<number[]> => {
  const ids = Array.from({ length: count }, (_, i) => i + 1)
  for (const id of ids) await putItem('pets', early(id))
  return ids
}

afterEach(async () => {
  for (const { id } of await storedItems()) await deleteItem('pets', { id })
})

test('stores each older item anew, although it is stopped and responses are lost', async () => {
  const ids = await putEarly(40)
  const stop = new AbortController()
  proxy.faultOf = ({ operation }) => {
    if (operation !== 'PutItem') return 'pass'
    if (proxy.counts.PutItem === 20) stop.abort(new Error('Stopped.'))
    return Number(proxy.counts.PutItem) % 10 === 0 ? lostResponse : 'pass'
  }

  const stopped = await run({ signal: stop.signal })
  const written = proxy.counts.PutItem
  const finished = await run()

  expect(stopped).toHaveProperty('error', 'Stopped.')
  expect(written).toBeLessThan(40)
  expect(finished).toEqual({ lines: [expect.stringMatching(/^40 read, \d+ rewritten\.$/)] })
  expect(byId(await storedItems())).toEqual(byId(ids.map((id) => current(early(id)))))
})

test('keeps what is changed, deleted or created after it was read', async () => {
  await putEarly(3)
  const expected = byId([current(early(3))])
  const work = async () => {
    for (const resource of [await change(1, { name: 'Max' }, undefined), await create(newPet())])
      expected.set(resource.id, { ...current(resource), revision: resource.revision })
    await remove(2, undefined)
  }
  let working: Promise<void> | undefined
  proxy.faultOf = async ({ operation }): Promise<Fault> => {
    if (operation !== 'PutItem') return 'pass'
    working ??= work()
    await working
    return 'pass'
  }

  const finished = await run()

  expect(finished).toEqual({ lines: ['3 read, 1 rewritten.'] })
  expect(byId(await storedItems())).toEqual(expected)
})

test('writes older items, once', async () => {
  await putEarly(2)
  await putItem('pets', current(early(3)))

  const runs = [await start().exited, await run()]

  expect(runs).toEqual([
    { code: 0, stdout: '3 read, 2 rewritten.\n', stderr: '' },
    { lines: ['3 read, 0 rewritten.'] },
  ])
  expect(proxy.counts.PutItem).toBe(2)
})

const long = NumberValue.from('1.00000000000000000001')
/** Just under 400 KB, the most that DynamoDB stores, and over it with the keys of indexes. */
const large = 'x'.repeat(409_540)

test('names items that cannot be read or written, and stores all others', async () => {
  const items = [
    { ...early(1), name: long },
    { ...early(2), revision: undefined },
    { ...early(4), name: large },
    { ...early(5), photo: Uint8Array.of(1) },
  ]
  for (const item of items) await putItem('pets', item)

  expect(await run()).toEqual({
    lines: [
      '4 read, 1 rewritten.',
      'The item 1 stays as it is: The item 1 of pets has no valid name.',
      'The item 2 stays as it is: The item 2 of pets has no valid revision.',
      expect.stringMatching(/^The item 4 stays as it is: Item size has exceeded the maximum/),
    ],
    error: 'Correct the 3 items above by hand.',
  })
  expect(await storedItems()).toContainEqual(current({ ...early(5), photo: Uint8Array.of(1) }))
})

test('turns are so many in a second, but for those that make up for late timers', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(5000)
  onTestFinished(() => now.mockRestore())
  const pace = new Pace(20, plan.signal)
  const begun: number[] = []
  const take = () => pace.turn().then(() => begun.push(performance.now()))

  for (const _ of [1, 2, 3]) await take()
  const fourth = take()
  setTimeout(() => now.mockReturnValue(5050))
  await fourth

  expect(begun).toEqual([5000, 5000, 5000, 5050])
})

test('waits for a transaction, and for DynamoDB after more attempts than the SDK makes by itself', async () => {
  await putEarly(1)
  // The SDK pauses before it tries again, for a random time.
  const random = vi.spyOn(Math, 'random').mockReturnValue(0)
  onTestFinished(() => random.mockRestore())
  const faults = [
    databaseResponses.transactionConflict,
    ...Array(4).fill(databaseResponses.internalServerError),
  ]
  proxy.faultOf = ({ operation }) => (operation === 'PutItem' && faults.shift()) || 'pass'

  await run()

  expect(await storedItems()).toEqual([current(early(1))])
})

test('ends by a signal although DynamoDB does not respond', async () => {
  await putEarly(1)
  proxy.faultOf = ({ operation }) => (operation === 'PutItem' ? 'silence' : 'pass')
  const { child, exited } = start()
  await vi.waitUntil(() => proxy.counts.PutItem, 30_000)

  child.kill('SIGINT')

  const stderr = 'Stopped: a request that was under way may have taken effect.\n'
  expect(await exited).toMatchObject({ code: 1, stderr })
})
