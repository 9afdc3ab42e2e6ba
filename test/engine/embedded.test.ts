import { cpSync } from 'node:fs'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { Level } from 'level'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startEmbedded } from '../../infra/local/database/embedded-database.ts'
import { temporaryFolder } from '../support/server.ts'
import { cases, type Engine, increment, put, readTogether, reasonOf, withTables, write } from './cases.ts'

/** Calls `use` with two tables of an embedded database, and ends it. */
const withEmbedded = async (use: (engine: Engine) => Promise<void>, folder = temporaryFolder()): Promise<void> => {
  const { endpoint, close } = await startEmbedded(folder)
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 })
  await withTables(client, use)
  client.destroy()
  await close()
}

test.each(cases)('$rule', ({ check }) => withEmbedded(check))

test('a check without a condition is refused, as in DynamoDB but not in the emulated AWS', () =>
  withEmbedded(async (engine) => {
    const check = { TableName: engine.first, Key: { id: 1 }, ConditionExpression: undefined }

    expect(await write(engine, [{ ConditionCheck: check }])).toBe('ValidationException')
  }))

test('a transaction is one write to the store, and holds its items until then', async () => {
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

    const transaction = write(engine, actions, 'token')
    await vi.waitUntil(() => batches.length > 0, 30_000)
    const refusals = [
      await write(engine, actions, 'token'),
      await write(engine, [increment(engine.second, 2), increment(engine.first, 1)]),
      await put(engine, { id: 1 }).catch(reasonOf),
      await readTogether(engine, 2, 1).catch(reasonOf),
    ]
    release()

    expect(refusals).toEqual([
      'TransactionInProgressException',
      'None, TransactionConflict',
      'TransactionConflictException',
      'None, TransactionConflict',
    ])
    expect([await transaction, await write(engine, actions, 'token')]).toEqual(['success', 'success'])
    expect(await readTogether(engine, 1, 1)).toEqual([1, 1])
    expect(batches).toEqual([[expect.toSatisfy((writes) => writes.length === 5)]]) // Two items, both in an index, and the token.
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
