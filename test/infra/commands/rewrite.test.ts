import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
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
const current = (item: StoredItem): StoredItem => storedPets.itemOf(item)

const start = (...args: string[]) => {
  const env = { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint, ...exampleCredentials }
  return startCommand(
    'commands/rewrite',
    ['--stage', 'local', '--collection', 'pets', ...args],
    env,
  )
}

const printed = vi.spyOn(console, 'info').mockImplementation(() => {})
const plan = {
  table: tableName('pets'),
  itemOf: storedPets.itemOf,
  perSecond: 1000,
  attempts: 10,
  isCheck: false,
  signal: new AbortController().signal,
}
/** Rewrites in this process. Returns what it has printed, and the message of its error. */
const run = async (isCheck = false) => {
  printed.mockClear()
  const error = await rewrite({ ...plan, isCheck }).catch(({ message }) => message)
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

test('stores each older item anew, although it is killed and responses are lost', async () => {
  const ids = await putEarly(40)
  const { child, exited } = start()
  proxy.faultOf = ({ operation }) => {
    if (operation !== 'PutItem') return 'pass'
    if (proxy.counts.PutItem === 20) child.kill('SIGKILL')
    return Number(proxy.counts.PutItem) % 10 === 0 ? lostResponse : 'pass'
  }

  const killed = await exited
  const finished = await run()

  expect(killed.code).toBeNull()
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

test('a check writes nothing, counts, and fails until a rewrite is complete', async () => {
  await putEarly(2)
  await putItem('pets', current(early(3)))

  const runs = [await start('--check').exited, await run(), await run(true)]

  const line = '2 items are not as this version stores them. Run this without --check.\n'
  expect(runs).toEqual([
    { code: 1, stdout: '3 read, 2 different.\n', stderr: line },
    { lines: ['3 read, 2 rewritten.'] },
    { lines: ['3 read, 0 different.'] },
  ])
  expect(proxy.counts.PutItem).toBe(2)
})

test('names items that cannot be read, and stores all others', async () => {
  const long = NumberValue.from('1.00000000000000000001')
  await putItem('pets', { ...early(1), name: long })
  await putItem('pets', { ...early(2), revision: undefined })
  await putItem('pets', early(3))

  expect(await run()).toEqual({
    lines: [
      '3 read, 1 rewritten.',
      'The item 1 stays as it is. The item 1 of pets has a name that JavaScript would round.',
      'The item 2 stays as it is. It has no revision.',
    ],
    error: '2 items cannot be read. Mend them by hand.',
  })
  expect(await storedItems()).toContainEqual(current(early(3)))
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
