import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Received, sendUntilServed } from '../support/http.ts'
import { memoryAt, probeAt } from '../support/memory.ts'
import { showProgress } from '../support/progress.ts'
import { type LocalServer, startServer } from '../support/server.ts'
import { type Call, checkReplay, checkResponse, prepare } from './checks.ts'
import type { ClientRequest } from './requests.ts'
import { anyRequest } from './strange-requests.ts'

/** How many requests to send, and the seed that generates them. */
type Plan = { requests: number; seed: number }

/** The number of responses by status, and the memory of the server's JavaScript in MB after warm-up and at the end. */
type Outcome = { statuses: Record<string, number>; memory: { warm: number; end: number } }

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

const attack = async (server: LocalServer, plan: Plan, memory: () => Promise<number>): Promise<Outcome> => {
  const { requests, seed } = plan
  const target = await targetAt(server)
  let runs = 0
  let warm = 0
  const batches = fc.array(anyRequest, { minLength: AT_ONCE, maxLength: AT_ONCE })
  const property = fc.asyncProperty(batches, async (batch) => {
    await Promise.all(batch.map((request) => tryOut(target, request)))
    showProgress(`${++runs * AT_ONCE} of ${requests} requests`)
    if (runs === Math.floor(Math.min(WARM_UP, requests / 2) / AT_ONCE)) warm = await memory()
  })
  // A failing request is not shrunk: it is small, and earlier requests can be part of the cause.
  const result = await fc.check(property, { seed, numRuns: Math.ceil(requests / AT_ONCE), endOnFailure: true })
  showProgress('')
  if (result.failed) throw result.errorInstance
  const { statuses } = target
  const end = await memory()

  assert.equal((await target.call({ path: '/pets' })).status, 200)
  // Proves that requests reached every check of the service.
  for (const status of [200, 201, 204, 400, 401, 404, 405, 413, 415, 422])
    assert.ok(statuses[status], `There is no ${status}.`)
  assert.ok(end < warm + MOST_MB, `The server used ${warm} MB after warm-up, and ${end} MB at the end.`)
  return { statuses, memory: { warm, end } }
}

type Target = Awaited<ReturnType<typeof targetAt>>

/** A server under test, with the number of responses by status so far. */
const targetAt = async (server: LocalServer) => {
  const statuses: Outcome['statuses'] = {}
  const call: Call = ({ headers, ...request }) =>
    sendUntilServed(server.baseUrl, { ...request, headers: { Authorization: `Bearer ${server.apiKey}`, ...headers } })
  return { server, call, statuses, filled: await prepare(call) }
}

/** Sends a request, and checks every response. The error of a check has the request, the responses and their log lines. */
const tryOut = async (target: Target, request: ClientRequest): Promise<void> => {
  const { server, call, statuses } = target
  const responses: Received[] = []
  try {
    responses.push(...(await responsesTo(target, request)))
    for (const response of responses) {
      await checkResponse(response, request, call)
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
    }
    if (request.key) checkReplay(responses)
  } catch (error) {
    const ids = responses.map(({ headers }) => headers['x-request-id'] ?? '-')
    const log = server.output().split('\n')
    const lines = [error instanceof Error ? error.message : error, JSON.stringify(request)]
      .concat(responses.map(({ status, text }) => `${status} ${text}`))
      .concat(log.filter((line) => ids.some((id) => line.includes(id))))
    throw new Error(lines.map((line) => String(line).slice(0, 2000)).join('\n'), { cause: error })
  }
}

const responsesTo = async ({ server, filled }: Target, request: ClientRequest): Promise<Received[]> => {
  const { method, target, headers, body, key, statuses } = request
  const sent = {
    method,
    path: await filled(target),
    headers,
    ...(body !== undefined && { body: Buffer.from(body, 'latin1') }),
  }
  // A request that can add a pet under an idempotency key is sent twice at once.
  const deliveries = key && statuses.includes(201) ? [sent, sent] : [sent]
  const { origin } = new URL(server.baseUrl)
  const responses = await Promise.all(deliveries.map((each) => sendUntilServed(origin, each)))
  if (method === 'DELETE' && responses[0]?.status === 204)
    assert.equal((await sendUntilServed(origin, sent)).status, 404, 'The deleted pet still exists.')
  return responses
}
