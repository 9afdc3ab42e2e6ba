import { expect, test, vi } from 'vitest'
import type { SourceWatch } from '../../../infra/local/source-watch.ts'
import { runServers } from '../../../infra/local/supervisor.ts'
import type { ServerStart } from '../../../infra/local/thread-protocol.ts'
import type { ServerThread } from '../../../infra/local/worker.ts'
import { functionSettings } from '../../../infra/platform/functions.ts'

const never = new Promise<never>(() => {})

/** A thread that serves at once, unless it is given what it does. */
const thread = (given: Partial<ServerThread> = {}): ServerThread => ({
  serving: Promise.resolve(),
  ended: never,
  added: () => undefined,
  stop: async () => {},
  ...given,
})

/** Runs threads in turn, of which each but the last is stopped by a change. */
const run = async (...threads: ServerThread[]) => {
  const starts: ServerStart[] = []
  const changes = threads.map((_, i) => (i < threads.length - 1 ? `${i + 1}.ts` : undefined))
  const start = (started: ServerStart) => threads[starts.push(started) - 1] as ServerThread
  const watch = (): SourceWatch => ({
    isWatching: true,
    change: Promise.resolve(changes[starts.length]),
  })
  return { code: await runServers(start, watch), starts }
}

test('starts a server again after each change of a source, and says which', async () => {
  const { code, starts } = await run(thread(), thread(), thread())

  expect([code, starts]).toEqual([
    0,
    [
      { kind: 'first', added: undefined },
      { kind: 'restart', changed: '1.ts' },
      { kind: 'restart', changed: '2.ts' },
    ],
  ])
})

test('is still at its first start after a change before it serves, and keeps the examples', async () => {
  const starting = thread({ serving: never, added: () => '51 pets' })

  const { starts } = await run(starting, thread({ serving: never }), thread())

  expect(starts).toEqual([
    { kind: 'first', added: undefined },
    { kind: 'first', added: '51 pets' },
    { kind: 'first', added: '51 pets' },
  ])
})

test('at the end, a server has the time of a function; at a change, less', async () => {
  const stop = vi.fn(async (_limitMs: number) => {})

  await run(thread({ stop }), thread({ stop }))

  const timeoutMs = functionSettings.timeoutSeconds * 1000
  const [atChange, atEnd] = stop.mock.calls.flat()
  expect(atEnd).toBeGreaterThan(timeoutMs)
  expect(atChange).toBeLessThan(timeoutMs)
})

test.each([
  ['it does not watch', { isWatching: false, serving: Promise.resolve() }],
  ['it has not served', { isWatching: true, serving: never }],
])('ends when its thread ends, if %s', async (_name, { isWatching, serving }) => {
  const ended = thread({ serving, ended: serving === never ? Promise.resolve(0) : later(0) })

  expect(
    await runServers(
      () => ended,
      () => ({ isWatching, change: never }),
    ),
  ).toBe(1)
})

/** Resolves after all that has resolved before. */
const later = (code: number) => new Promise<number>((resolve) => setImmediate(resolve, code))
