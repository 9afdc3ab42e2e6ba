import { setTimeout } from 'node:timers/promises'
import { NumberValue } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { rewrite } from '../../../infra/commands/rewrite.ts'
import { collection } from '../../../shared/data/collection.ts'
import { tableName } from '../../../shared/data/tables.ts'
import { Text } from '../../../shared/model/text.ts'
import { Pet } from '../../../shared/pets/pet.ts'
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
  id: 'pets',
  collection: storedPets,
  perSecond: 1000,
  pause: setTimeout,
  attempts: 10,
  isCheck: false,
  signal: new AbortController().signal,
} as const
/** Rewrites in this process. Returns what it has printed, and the message of its error. */
const run = async (changes: Partial<Parameters<typeof rewrite>[0]> = {}) => {
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

  const runs = [await start('--check').exited, await run(), await run({ isCheck: true })]

  const line = '2 items are not as this version stores them. Run this without --check.\n'
  expect(runs).toEqual([
    { code: 1, stdout: '3 read, 2 different.\n', stderr: line },
    { lines: ['3 read, 2 rewritten.'] },
    { lines: ['3 read, 0 different.'] },
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
    { ...early(3), old: [{ price: new Set([1, long]) }] },
    { ...early(4), name: large },
    { ...early(5), photo: Uint8Array.of(1) },
  ]
  for (const item of items) await putItem('pets', item)

  expect(await run()).toEqual({
    lines: [
      '5 read, 1 rewritten.',
      'The item 1 of pets has in name a number that JavaScript would round. It stays as it is.',
      'The item 2 of pets has no revision. It stays as it is.',
      'The item 3 of pets has in old a number that JavaScript would round. It stays as it is.',
      'The item 4 of pets cannot be written: Item size has exceeded the maximum allowed size. It stays as it is.',
    ],
    error: '4 items are named above. Correct them by hand.',
  })
  expect(await storedItems()).toContainEqual(current({ ...early(5), photo: Uint8Array.of(1) }))
})

test('a check names items that break a rule or cannot be written, without their values', async () => {
  const items = [
    { ...storedPet(1), name: 'x'.repeat(1001), status: 'gone' },
    { ...storedPet(2), categoryId: '7' },
    { ...storedPet(3), old: { photo: [Uint8Array.of(1)] } },
    { ...storedPet(4), old: long },
    { ...early(5), name: '' },
    storedPet(6),
  ]
  for (const item of items) await putItem('pets', item)

  const { lines, error } = await run({ isCheck: true })

  const text = 'a string of 1 to 1000 characters, not only white space, in valid Unicode'
  expect(lines).toEqual([
    '6 read, 2 different.',
    `The item 1 of pets breaks a rule: name must be ${text}; status must be one of available, pending, sold, or omitted.`,
    'The item 2 of pets has in categoryId a value of the type string.',
    'The item 4 of pets has in old a number that JavaScript would round.',
    `The item 5 of pets breaks a rule: name must be ${text}.`,
  ])
  expect(error).toBe(
    '4 items are named above. Correct them by hand. ' +
      '2 items are not as this version stores them. Run this without --check.',
  )
})

test('after a release with a stricter rule, a check names an item, and clients still get it', async () => {
  await putItem('pets', storedPet(1, { name: 'x'.repeat(900) }))
  const stricter = { ...storedPets, fields: { ...storedPets.fields, name: Text(500) } }

  const { lines } = await run({ isCheck: true, collection: stricter })

  expect(lines).toContainEqual(
    expect.stringContaining('The item 1 of pets breaks a rule: name must be a string of 1 to 500'),
  )
  const strictPets = collection('pets', v.object({ ...Pet.entries, name: Text(500) }))
  expect(await inOwnTransactions(strictPets).get(1)).toMatchObject({ name: 'x'.repeat(900) })
})

test('writes no more items in a second than it may', async () => {
  await putEarly(3)
  const now = vi.spyOn(performance, 'now').mockReturnValue(5000)
  onTestFinished(() => now.mockRestore())
  const pauses: number[] = []
  const pause = async (milliseconds: number) => pauses.push(milliseconds)

  await run({ perSecond: 20, pause })

  expect(pauses).toEqual([0, 50, 100])
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

test('reads and writes nothing more after a signal', async () => {
  const ids = await putEarly(2)
  const stop = new AbortController()
  const pause = async () => stop.abort(new Error('Stopped.'))

  const stopped = await run({ signal: stop.signal, pause })
  const checked = await run({ signal: stop.signal, isCheck: true })

  expect([stopped.error, checked.error]).toEqual(['Stopped.', 'Stopped.'])
  expect(checked.lines).toEqual(['0 read, 0 different.'])
  expect(byId(await storedItems())).toEqual(byId(ids.map(early)))
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
