import { NumberValue } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { afterEach, expect, test, vi } from 'vitest'
import { rewrite } from '../../../infra/commands/rewrite.ts'
import { contract } from '../../../shared/contract.ts'
import { tableName } from '../../../shared/data/tables.ts'
import { alone } from '../../support/alone.ts'
import {
  deleteItem,
  once,
  proxy,
  putItem,
  type Stored,
  storedItems,
} from '../../support/database.ts'
import { example } from '../../support/example.ts'
import { databaseResponses, type Fault, lostResponse } from '../../support/fault-proxy.ts'
import { startCommand } from '../../support/run-command.ts'
import { exampleCredentials } from '../../support/secrets.ts'

const { collection, table, change } = example
const { field, value } = example.filter

/** An item of a version that had no index. */
const early = (id: number): Stored => ({
  ...example.item(id),
  shard: undefined,
  [`${field}Shard`]: undefined,
})
const resources = alone(collection)
const current = (item: Stored): Stored => collection.itemOf(item)

const start = (...args: string[]) => {
  const env = { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint, ...exampleCredentials }
  return startCommand('commands/rewrite', ['--stage', 'local', '--collection', table, ...args], env)
}

const byId = (items: Stored[]) => new Map(items.map((item) => [item.id, item]))
const listed = async (cursor?: number): Promise<number[]> => {
  const { items, next } = await resources.list({ [field]: value, limit: 100, cursor })
  return [...items.map(({ id }) => id), ...(next === undefined ? [] : await listed(next))]
}

afterEach(async () => {
  for (const { id } of await storedItems(table)) await deleteItem(table, { id })
  vi.restoreAllMocks()
})

test('stores each older item anew while others change, create and delete, although it is killed', {
  timeout: 300_000,
}, async () => {
  const ids = Array.from({ length: 300 }, (_, i) => i + 1)
  for (const id of ids) await putItem(table, early(id))
  const expected = byId(ids.map((id) => current(early(id))))
  const { child, exited } = start('--per-second', '1000')
  proxy.faultOf = ({ operation }) => {
    if (operation === 'UpdateItem' && proxy.counts.UpdateItem === 100) child.kill('SIGKILL')
    return operation === 'UpdateItem' && (proxy.counts.UpdateItem ?? 0) % 10 === 0
      ? lostResponse
      : 'pass'
  }
  const expectStored = ({ resource, revision }: { resource: Stored; revision: string }) =>
    expected.set(resource.id, { ...current(resource), revision })

  // Every third item is changed, and another third deleted, after it was read and before or after
  // it is written.
  const work = async () => {
    await vi.waitUntil(() => proxy.counts.UpdateItem, 60_000)
    for (const id of ids) {
      if (id % 3 === 0)
        expectStored(await resources.change(id, id % 2 ? change.body : change.other))
      if (id % 3 === 1 && expected.delete(id)) await resources.remove(id)
      if (id % 9 === 2)
        expectStored(await resources.create(v.parse(contract[example.create].body, example.body())))
    }
  }
  const [killed] = await Promise.all([exited, work()])
  const finished = await start('--per-second', '1000').exited

  expect(killed.code).toBeNull()
  expect(finished).toMatchObject({ code: 0, stderr: '' })
  expect(byId(await storedItems(table))).toEqual(expected)
  const wanted = [...expected.values()].filter((item) => item[field] === value)
  expect((await listed()).sort()).toEqual(wanted.map(({ id }) => id).sort())
  expect(finished.stdout).toMatch(/^\d+ read, \d+ rewritten\.\n$/)
  expect(await start('--check').exited).toMatchObject({ code: 0, stderr: '' })
})

test('a check writes nothing, counts, and fails until a rewrite is complete', async () => {
  for (const id of [1, 2]) await putItem(table, early(id))
  await putItem(table, current(early(3)))

  const checks = [
    await start('--check').exited,
    await start().exited,
    await start('--check').exited,
  ]

  const line = '2 items are not as this version stores them. Run this without --check.\n'
  expect(checks).toEqual([
    { code: 1, stdout: '3 read, 2 different.\n', stderr: line },
    { code: 0, stdout: '3 read, 2 rewritten.\n', stderr: '' },
    { code: 0, stdout: '3 read, 0 different.\n', stderr: '' },
  ])
  expect(proxy.counts.UpdateItem).toBe(2)
})

test('names items that cannot be read or stored, and stores all others', async () => {
  await putItem(table, {
    ...early(1),
    [example.text]: NumberValue.from('1.00000000000000000001'),
  })
  await putItem(table, { ...early(2), revision: undefined })
  const { [example.text]: _, ...rest } = early(3)
  const overhead = JSON.stringify(rest).length
  await putItem(table, { ...early(3), padding: 'x'.repeat(400 * 1024 - overhead) })
  await putItem(table, early(4))

  const { code, stdout, stderr } = await start().exited

  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: '3 items cannot be read or stored. Mend them by hand.\n',
  })
  const lines = stdout.trimEnd().split('\n').toSorted()
  expect(lines).toEqual([
    '4 read, 1 rewritten.',
    `The item 1 stays as it is. The item 1 of ${table} has no ${example.text}, or one that JavaScript would round.`,
    'The item 2 stays as it is. It has no revision.',
    'The item 3 stays as it is. Item size to update has exceeded the maximum allowed size',
  ])
  expect(await storedItems(table)).toContainEqual(current(early(4)))
})

const plan = () => ({
  table: tableName(table),
  itemOf: collection.itemOf,
  perSecond: 1000,
  isCheck: false,
  signal: new AbortController().signal,
})

test('goes on after more throttled attempts than the SDK makes by itself', async () => {
  await putItem(table, early(1))
  // The SDK pauses before it tries again, for a random time.
  vi.spyOn(Math, 'random').mockReturnValue(0)
  vi.spyOn(console, 'info').mockImplementation(() => {})
  proxy.faultOf = ({ operation }) =>
    operation === 'UpdateItem' && proxy.counts.UpdateItem !== 4
      ? databaseResponses.throttling
      : 'pass'

  await rewrite(plan())

  expect(await storedItems(table)).toEqual([current(early(1))])
})

test('sends nothing more when DynamoDB has refused a request', async () => {
  for (let id = 1; id <= 50; id++) await putItem(table, early(id))
  vi.spyOn(console, 'info').mockImplementation(() => {})
  const hasEnded = Promise.withResolvers<void>()
  proxy.faultOf = async ({ operation }): Promise<Fault> => {
    if (operation !== 'UpdateItem') return 'pass'
    if (proxy.counts.UpdateItem === 1) return databaseResponses.accessDenied
    await hasEnded.promise
    return 'pass'
  }

  await expect(rewrite(plan())).rejects.toThrow('Made by the test.')

  hasEnded.resolve()
  await proxy.settled()
  // Meanwhile, more could be sent.
  for (let reads = 1; reads <= 20; reads++) await storedItems(table)
  expect(proxy.counts.UpdateItem).toBeLessThanOrEqual(8)
})

test.each(['older', 'newer'])(
  'loses nothing that another version rewrites, although the %s one writes last',
  async (last) => {
    const ids = Array.from({ length: 50 }, (_, i) => i + 1)
    for (const id of ids) await putItem(table, { ...early(id), mottoShard: 'none' })
    vi.spyOn(console, 'info').mockImplementation(() => {})
    // The newer version filters by a field that the older does not know.
    const newerForm = (item: Stored) => ({
      ...current(item),
      motto: 'Be new',
      mottoShard: 'Be new#0',
    })
    const hasRead = Promise.withResolvers<void>()
    let reads = 0
    const isWritten = Promise.withResolvers<void>()
    proxy.faultOf = async ({ operation, body }): Promise<Fault> => {
      if (operation === 'Scan' && ++reads === 2) hasRead.resolve()
      // Each writes what it has read before the other wrote.
      if (operation === 'UpdateItem') await hasRead.promise
      if (operation === 'UpdateItem' && body.includes('Be new') === (last === 'newer'))
        await isWritten.promise
      return 'pass'
    }

    const older = rewrite(plan())
    const newer = rewrite({ ...plan(), itemOf: newerForm })
    await (last === 'older' ? newer : older)
    isWritten.resolve()
    await Promise.all([older, newer])

    expect(byId(await storedItems(table))).toEqual(byId(ids.map((id) => newerForm(early(id)))))
  },
)

test('waits for a transaction that holds an item', async () => {
  await putItem(table, early(1))
  once({ UpdateItem: databaseResponses.transactionConflict })

  const { code } = await start().exited

  expect([code, await storedItems(table)]).toEqual([0, [current(early(1))]])
})

test.each<[string, Fault, string]>([
  ['a transaction holds an item', databaseResponses.transactionConflict, 'Stopped.'],
  ['a response stalls', 'stall', 'Stopped: a request that was under way may have taken effect.'],
])('ends by a signal while %s, and another run finishes', async (_, fault, line) => {
  await putItem(table, early(1))
  proxy.faultOf = ({ operation }) => (operation === 'UpdateItem' ? fault : 'pass')
  const { child, exited } = start()
  await vi.waitUntil(() => proxy.counts.UpdateItem, 30_000)

  child.kill('SIGINT')

  expect(await exited).toMatchObject({ code: 1, stderr: `${line}\n` })
  proxy.faultOf = () => 'pass'
  expect(await start().exited).toMatchObject({ code: 0 })
  expect(await storedItems(table)).toEqual([current(early(1))])
})

test.each([
  ['--per-second', '0', /Use a whole number from 1 to 1000\./],
  ['--collection', 'no-such', /Allowed choices are /],
])('refuses %s %s', async (option, value, message) => {
  expect(await start(option, value).exited).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(message),
  })
})
