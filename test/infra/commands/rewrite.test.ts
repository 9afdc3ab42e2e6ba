import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { afterEach, expect, test, vi } from 'vitest'
import { rewrite } from '../../../infra/commands/rewrite.ts'
import { tableName } from '../../../shared/data/tables.ts'
import { alone } from '../../support/alone.ts'
import { deleteItem, once, proxy, putItem, type Stored, storedItems } from '../../support/database.ts'
import { example } from '../../support/example.ts'
import { databaseResponses, lostResponse } from '../../support/fault-proxy.ts'
import { startCommand } from '../../support/run-command.ts'
import { exampleCredentials } from '../../support/secrets.ts'

const { collection, table, changes } = example
const { field, value, other } = example.filter

/** An item of a version that had no index of the field to filter by. */
const early = (id: number): Stored => ({
  ...example.item(id, { ...changes, [field]: value }),
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
    if (operation === 'PutItem' && proxy.counts.PutItem === 100) child.kill('SIGKILL')
    return operation === 'PutItem' && (proxy.counts.PutItem ?? 0) % 10 === 0 ? lostResponse : 'pass'
  }
  const expectStored = ({ resource, revision }: { resource: Stored; revision: string }) =>
    expected.set(resource.id, { ...current(resource), revision })

  // Every third item is changed, and another third deleted, after it was read and before or after it is written.
  const work = async () => {
    await vi.waitUntil(() => proxy.counts.PutItem, 60_000)
    for (const id of ids) {
      if (id % 3 === 0) expectStored(await resources.change(id, { ...changes, [field]: id % 2 ? value : other }))
      if (id % 3 === 1 && expected.delete(id)) await resources.remove(id)
      if (id % 9 === 2) expectStored(await resources.create(example.resource(1, { [field]: value })))
    }
  }
  const [killed] = await Promise.all([exited, work()])
  const finished = await start('--per-second', '1000', '--json').exited

  expect(killed.code).toBeNull()
  expect(finished).toMatchObject({ code: 0, stderr: '' })
  expect(byId(await storedItems(table))).toEqual(expected)
  const wanted = [...expected.values()].filter((item) => item[field] === value)
  expect((await listed()).sort()).toEqual(wanted.map(({ id }) => id).sort())
  expect(finished.stdout).toMatch(/^\{"read":\d+,"written":\d+,"after":\d+,"unreadable":\[\]\}\n$/)
})

test('names items that cannot be read, and stores all others', async () => {
  await putItem(table, { ...early(1), [example.integer]: NumberValue.from('1.00000000000000000001') })
  await putItem(table, { ...early(2), revision: undefined })
  await putItem(table, early(3))

  const { code, stdout, stderr } = await start().exited

  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: '2 items cannot be read, and stay as they are. Mend them by hand.\n',
  })
  expect(stdout).toContain(`The item 1 of ${table} has no ${example.integer}, or one that JavaScript would round.\n`)
  expect(stdout).toContain('The item 2 has no revision.\n')
  expect(stdout).toContain('3 read, 1 written')
  expect(await storedItems(table)).toContainEqual(current(early(3)))
})

test('says where to continue when it is stopped or DynamoDB fails, and continues there', async () => {
  for (let id = 1; id <= 3; id++) await putItem(table, early(id))
  const plan = { table: tableName(table), itemOf: collection.itemOf, perSecond: 1000, print: () => {} }
  const stop = new AbortController()
  const { signal } = stop
  let puts = 0
  const fail = databaseResponses.throughputExceeded
  proxy.faultOf = ({ operation }) => (operation === 'PutItem' && ++puts > 1 ? fail : 'pass')

  const error = await rewrite({ ...plan, signal }).catch((error) => error)
  const [, after] = /To continue: --after (\d+)$/.exec(error.message) ?? []
  proxy.faultOf = () => 'pass'
  const printed: object[] = []
  await rewrite({ ...plan, after: Number(after), signal, print: (progress) => printed.push(progress) })
  stop.abort(new Error('Stopped.'))

  expect(error.message).toMatch(/^AWS refused the request: Made by the test\. To continue: --after \d$/)
  expect(printed).toMatchObject([{ read: 2, written: 2 }])
  expect(byId(await storedItems(table))).toEqual(byId([1, 2, 3].map((id) => current(early(id)))))
  await expect(rewrite({ ...plan, signal })).rejects.toThrow('Stopped.')
})

test('waits for a transaction that holds an item', async () => {
  await putItem(table, early(1))
  once({ PutItem: databaseResponses.transactionConflict })

  const { code } = await start().exited

  expect([code, await storedItems(table)]).toEqual([0, [current(early(1))]])
})

test.each([
  ['--per-second', '0', /Use a whole number from 1 to 1000\./],
  ['--after', 'x', /Use the id that an earlier run has printed\./],
  ['--collection', 'no-such', /Allowed choices are /],
])('refuses %s %s', async (option, value, message) => {
  expect(await start(option, value).exited).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(message),
  })
})
