import { cpSync } from 'node:fs'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { Level } from 'level'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startEmbedded } from '../../../../infra/packages/embedded-dynamodb/index.ts'
import {
  cases,
  type Engine,
  increment,
  read,
  readTogether,
  withTables,
  write,
} from '../../../engine/cases.ts'
import { temporaryFolder } from '../../../support/server.ts'

/** Calls `use` with two tables of an embedded database, and ends it. */
const withEmbedded = async (
  use: (engine: Engine) => Promise<void>,
  folder = temporaryFolder(),
): Promise<void> => {
  const { endpoint, close } = await startEmbedded({ folder: { path: folder, format: 1 } })
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 })
  await withTables(client, use)
  client.destroy()
  await close()
}

test.each(cases)('$rule', ({ check }) => withEmbedded(check))

test('items are not read together during a write', async () => {
  const { batch } = Level.prototype
  onTestFinished(() => void Object.assign(Level.prototype, { batch }))
  const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  async function batchLater(this: Level, ...args: unknown[]): Promise<void> {
    started.resolve()
    await released.promise
    await Reflect.apply(batch, this, args)
  }
  Object.assign(Level.prototype, { batch: batchLater })

  await withEmbedded(async (engine) => {
    const written = write(engine, [increment(engine.first, 1), increment(engine.second, 1)])
    await started.promise
    const together = readTogether(engine, 1, 1)
    for (let i = 0; i < 5; i++) await read(engine, 1)
    released.resolve()

    expect([await written, await together]).toEqual(['success', [1, 1]])
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
        outcomes.push(await write(restarted, others, 'token'))
      }

      expect(await readTogether(restarted, 1, 1)).toEqual([1, 1])
    }, left)

    const mismatch = 'IdempotentParameterMismatchException'
    expect(outcomes).toEqual(['success', 'success', mismatch, 'success'])
  }, folder)
})
