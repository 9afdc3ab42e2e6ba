import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { memoryAt, probeAt } from '../support/memory.ts'
import { type LocalServer, startServer } from '../support/server.ts'
import { checkReplays } from './checks.ts'
import { anyRequest } from './strange-requests.ts'
import { targetAt, tryOut } from './target.ts'

/** How many requests to send, and the seed that generates them. */
export type Plan = { requests: number; seed: number }

/** The number of responses by status, and the memory of the server's JavaScript in MB after warm-up and at the end. */
export type Outcome = { statuses: Record<string, number>; memory: { warm: number; end: number } }

const AT_ONCE = 8
const WARM_UP = 1000
const MOST_MB = 16

/**
 * Sends generated requests to a local server, and checks every response.
 *
 * @throws Error with the request whose response is wrong, or if the server leaks memory, or if a status never came
 */
export const fuzz = async (plan: Plan): Promise<Outcome> => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-fuzz-'))
  const socket = join(folder, 'memory')
  // The catalogue is on disk, so that it does not count as memory.
  const server = await startServer(['--data', join(folder, 'catalogue')], probeAt(socket))
  try {
    return await attack(server, plan, async () => Math.round((await memoryAt(socket)).heap / 1e6))
  } catch (error) {
    const code = await server.stop()
    const end = code === 0 ? [] : [`The server ended with ${code}: ${server.output().slice(-2000)}`]
    const repeat = `To repeat these requests: npm run fuzz -- --seed ${plan.seed} --requests ${plan.requests}`
    throw new Error([error instanceof Error ? error.message : error, ...end, repeat].join('\n\n'), { cause: error })
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}

const attack = async (
  server: LocalServer,
  { requests, seed }: Plan,
  memory: () => Promise<number>,
): Promise<Outcome> => {
  const target = await targetAt(server)
  let runs = 0
  let warm = 0
  const property = fc.asyncProperty(fc.array(anyRequest, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (batch) => {
    // Requests with an idempotency key are sent twice, at the same time: one of the responses is a replay.
    const sent = batch.flatMap((request) => ('key' in request && request.key ? [request, request] : request))
    await Promise.all(sent.map((request) => tryOut(target, request)))
    if (++runs === Math.floor(Math.min(WARM_UP, requests / 2) / AT_ONCE)) warm = await memory()
  })
  // A failing request is not shrunk: it is small, and earlier requests can be part of the cause.
  const result = await fc.check(property, { seed, numRuns: Math.ceil(requests / AT_ONCE), endOnFailure: true })
  if (result.failed) throw result.errorInstance
  const { statuses, byKey, retries } = target.seen
  const end = await memory()

  assert.equal((await target.call({ path: '/pets' })).status, 200)
  checkReplays(byKey, retries > 0)
  assert.ok(retries < requests / 20, `The server was unavailable ${retries} times.`)
  // Proves that requests reached every check of the service.
  for (const status of [200, 201, 204, 400, 401, 404, 405, 413, 415, 422, 431])
    assert.ok(statuses[status], `There is no ${status}.`)
  assert.ok(end < warm + MOST_MB, `The server used ${warm} MB after warm-up, and ${end} MB at the end.`)
  return { statuses, memory: { warm, end } }
}
