import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { command, run, wholeNumber } from '../../infra/commands/command-line.ts'
import { type Received, type Sent, sendUntilServed } from '../support/http.ts'
import { showProgress } from '../support/process.ts'
import { type LocalServer, startServer } from '../support/server.ts'
import { type Call, checkReplay, checkResponse, prepare } from './checks.ts'
import type { ClientRequest } from './headers.ts'
import { anyRequest } from './requests.ts'

const AT_ONCE = 8

/** Sends generated requests, and checks every response. Returns how many there were of each status. */
const fuzz = async (server: LocalServer, requests: number, seed: number): Promise<Record<string, number>> => {
  const target = await targetAt(server)
  let sent = 0
  const batches = fc.array(anyRequest, { minLength: AT_ONCE, maxLength: AT_ONCE })
  const property = fc.asyncProperty(batches, async (batch) => {
    await Promise.all(batch.map((request) => tryOut(target, request)))
    sent += AT_ONCE
    showProgress(`${sent} of ${requests} requests`)
  })
  // A failing request is not shrunk: it is small, and earlier requests can be part of the cause.
  const result = await fc.check(property, { seed, numRuns: Math.ceil(requests / AT_ONCE), endOnFailure: true })
  showProgress('')
  if (result.failed) throw result.errorInstance
  assert.equal((await target.call({ path: '/pets' })).status, 200)
  // Proves that requests reached every check of the service.
  for (const status of [200, 201, 204, 400, 401, 404, 405, 412, 413, 415, 422])
    assert.ok(target.statuses[status], `There is no ${status}.`)
  return target.statuses
}

type Target = Awaited<ReturnType<typeof targetAt>>

/** A server under test, with the number of responses by status so far. */
const targetAt = async (server: LocalServer) => {
  const statuses: Record<string, number> = {}
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
  const { method, target, body, key, statuses } = request
  const [path, headers] = JSON.parse(await filled(JSON.stringify([target, request.headers])))
  const sent: Sent = { method, path, headers, ...(body !== undefined && { body: Buffer.from(body, 'latin1') }) }
  // A request that can add a pet under an idempotency key is sent twice at once.
  const deliveries = key && statuses.includes(201) ? [sent, sent] : [sent]
  const { origin } = new URL(server.baseUrl)
  const responses = await Promise.all(deliveries.map((each) => sendUntilServed(origin, each)))
  if (method === 'DELETE' && responses[0]?.status === 204)
    assert.equal((await sendUntilServed(origin, sent)).status, 404, 'The deleted pet still exists.')
  return responses
}

const main = command(
  'npm run fuzz --',
  'Sends generated requests to a local server of its own, and checks every response.',
)
  // Fewer requests may not get a response of every status.
  .option('--requests <number>', 'number of requests', wholeNumber(1000, 999_999_999), 20_000)
  .option('--seed <number>', 'repeats the requests of an earlier run (default: random)', wholeNumber(0, 2 ** 31))
  .action(async ({ requests, seed = randomInt(2 ** 31) }) => {
    console.log(`${requests} requests, seed ${seed}`)
    const server = await startServer()
    try {
      console.table(await fuzz(server, requests, seed))
    } finally {
      const code = await server.stop()
      if (code !== 0) console.error(`The server ended with ${code}: ${server.output().slice(-2000)}`)
    }
    console.log(`Every response is correct (${Math.round(performance.now() / 1000)} s).`)
  })

await run(main)
