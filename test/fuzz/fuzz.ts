import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { memoryAt, probeAt } from '../support/memory.ts'
import { type LocalServer, startServer } from '../support/server.ts'
import { anyRequest } from './any-request.ts'
import { checkCreations } from './creations.ts'
import { type Target, targetAt } from './target.ts'
import { tryOut } from './try-out.ts'

/** The requests: how many, and the seed that makes the same ones again. */
export type Plan = { requests: number; seed: number }

/** How often each status was answered, and how many MB the server's JavaScript held when it was warm, and at the end. */
export type Outcome = { statuses: Record<string, number>; memory: { warm: number; end: number } }

const AT_ONCE = 8
const WARM_UP = 1000
const MOST_MB = 16

/**
 * Sends a local server made-up requests, and checks every answer.
 *
 * @throws Error where one is wrong, with the request; or where the server keeps memory, or a kind of answer never came
 */
export const fuzz = async (plan: Plan): Promise<Outcome> => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-store-fuzz-'))
  // The catalogue is kept on disk, so that it is no part of the memory that is watched.
  const socket = join(folder, 'memory')
  const server = await startServer(['--data', join(folder, 'catalogue')], probeAt(socket))
  try {
    return await outcomeOf(server, plan, () => megabytesAt(socket))
  } catch (error) {
    const code = await server.stop()
    const end = code === 0 ? [] : [`The server ended with ${code}: ${server.output().slice(-2000)}`]
    const again = `For the same requests again: npm run fuzz -- --seed ${plan.seed} --requests ${plan.requests}`
    throw new Error([error instanceof Error ? error.message : error, ...end, again].join('\n\n'), { cause: error })
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}

const outcomeOf = async (server: LocalServer, plan: Plan, memory: () => Promise<number>): Promise<Outcome> => {
  const target = await targetAt(server)
  const warm = await attack(target, plan, memory)
  const end = await memory()
  const outcome = { statuses: target.statuses, memory: { warm, end } }
  assert.equal((await target.ask('/v1/pets')).status, 200)
  checkCreations(target.creations, target.busy() > 0)
  assert.ok(target.busy() < plan.requests / 20, `The server was too busy ${target.busy()} times.`)
  checkOutcome(outcome)
  return outcome
}

/** Sends the requests, and tells what the server's memory was after the first of them. */
const attack = async (target: Target, { requests, seed }: Plan, memory: () => Promise<number>): Promise<number> => {
  let runs = 0
  let warm = 0
  const batches = fc.array(anyRequest, { minLength: AT_ONCE, maxLength: AT_ONCE })
  const property = fc.asyncProperty(batches, async (batch) => {
    await Promise.all(batch.map((request) => tryOut(target, request)))
    runs++
    if (runs === WARM_UP / AT_ONCE) warm = await memory()
  })
  // Requests are not made simpler: they are small, and what came before them may be part of why they fail.
  const result = await fc.check(property, { seed, numRuns: Math.ceil(requests / AT_ONCE), endOnFailure: true })
  if (result.failed) throw result.errorInstance
  return warm
}

const megabytesAt = async (socket: string): Promise<number> => Math.round((await memoryAt(socket)).heap / 1e6)

const checkOutcome = ({ statuses, memory: { warm, end } }: Outcome): void => {
  // Where everything is refused, nothing is proved.
  for (const status of [200, 201, 204, 400, 401, 404, 405, 413, 415, 422, 431])
    assert.ok(statuses[status], `No ${status}.`)
  assert.ok(end < warm + MOST_MB, `The server held ${warm} MB when it was warm, and ${end} MB at the end.`)
}
