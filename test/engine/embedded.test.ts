import { cpSync } from 'node:fs'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { Level } from 'level'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startEmbedded } from '../../infra/local/database/embedded-database.ts'
import { temporaryFolder } from '../support/server.ts'
import {
  cases,
  type Engine,
  increment,
  put,
  read,
  readTogether,
  withTables,
  write,
} from './cases.ts'

/** Calls `use` with two tables of an embedded database, and ends it. */
const withEmbedded = async (
  use: (engine: Engine) => Promise<void>,
  folder = temporaryFolder(),
): Promise<void> => {
  const { endpoint, close } = await startEmbedded(folder)
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 })
  await withTables(client, use)
  client.destroy()
  await close()
}

test.each(cases)('$rule', ({ check }) => withEmbedded(check))

test('writes take turns, and each is one batch of the store', async () => {
  const { batch } = Level.prototype
  onTestFinished(() => void Object.assign(Level.prototype, { batch }))
  const batches: unknown[][] = []
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  async function batchLater(this: Level, ...args: unknown[]): Promise<void> {
    batches.push(args)
    await released
    await Reflect.apply(batch, this, args)
  }
  Object.assign(Level.prototype, { batch: batchLater })

  await withEmbedded(async (engine) => {
    const actions = [increment(engine.first, 1), increment(engine.second, 1)]

    const first = write(engine, actions, 'token')
    await vi.waitUntil(() => batches.length > 0, 30_000)
    const others = [write(engine, actions, 'token'), write(engine, actions), put(engine, { id: 2 })]
    const together = readTogether(engine, 1, 1)
    for (let i = 0; i < 5; i++) await read(engine, 1)
    const held = batches.length
    release()
    await Promise.all([first, ...others])

    expect(held).toBe(1)
    expect([
      [1, 1],
      [2, 2],
    ]).toContainEqual(await together)
    expect(await readTogether(engine, 1, 1)).toEqual([2, 2])
    // Two items, both in an index, and the token; the same, and the old entries of the index; one
    // item.
    expect(batches.map(([writes]) => Array.isArray(writes) && writes.length).sort()).toEqual([
      1, 5, 7,
    ])
  })
})

test('a token holds for ten minutes, also if the process is killed meanwhile', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const [folder, left] = [temporaryFolder(), temporaryFolder()]
  return withEmbedded(async (engine) => {
    const [actions, others] = [[increment(engine.first, 1)], [increment(engine.second, 1)]]

    const outcomes = [await write(engine, actions, 'token')]
    cpSync(folder, left, { recursive: true }) // What a process leaves that is killed now.
    await withEmbedded(async ({ client }) => {
      const restarted = { ...engine, client }
      outcomes.push(await write(restarted, actions, 'token'))
      for (const minutes of [9, 2]) {
        vi.setSystemTime(Date.now() + minutes * 60_000)
        for (const each of [engine, restarted]) outcomes.push(await write(each, others, 'token'))
      }

      expect(await readTogether(restarted, 1, 1)).toEqual([1, 1])
    }, left)

    const mismatch = 'IdempotentParameterMismatchException'
    expect(outcomes).toEqual(['success', 'success', mismatch, mismatch, 'success', 'success'])
  }, folder)
})
