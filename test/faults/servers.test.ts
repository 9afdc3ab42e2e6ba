import { once } from 'node:events'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { atMost } from '../../infra/local/queue.ts'
import { type Received, type Sent, sendUntilServed } from '../support/http.ts'
import { newPet } from '../support/pets.ts'
import {
  headersOf,
  type LocalServer,
  listAll,
  startServer,
  startTestServer,
  temporaryFolder,
} from '../support/server.ts'

const KILLS = 50
// An address, because NODE_OPTIONS ends at a space.
const PRELOADED = new URL('die-at-write.ts', import.meta.url).href

/** Each second client deletes its pet. */
const isDeleted = (number: number): boolean => number % 2 === 0

/**
 * The requests of a client, one after the other, each with its status, which is final: all have a
 * key. If the first change took effect twice, it would get a 412, as the second one does.
 */
const requestsOf = (number: number, [created]: Received[]) => {
  const name = `rex-${number}`
  const path = `/pets/${Object(created?.body).id}`
  const headers = { 'If-Match': `${created?.headers.etag}` }
  const change = { method: 'PATCH', path, headers, body: '{"status":"sold"}' }
  const requests: (Sent & { status: number })[] = [
    { method: 'POST', path: '/pets', body: JSON.stringify(newPet(name)), status: 201 },
    { ...change, status: 200 },
    { ...change, status: 412 },
    ...(isDeleted(number) ? [{ method: 'DELETE', path, status: 204 }] : []),
  ]
  return requests.map((request, i) => ({
    ...request,
    headers: { ...request.headers, 'Idempotency-Key': `${name}-${i}` },
  }))
}

/** Sends a request with the API key of the server, and on a busy machine many times. */
const call = (server: LocalServer, { headers, ...request }: Sent): Promise<Received> =>
  sendUntilServed(
    server.baseUrl,
    { ...request, headers: { ...headersOf(server), ...headers } },
    100,
  )

// Each server on one data folder is killed at one of its writes, while eight clients send requests.
// The last one lives until all clients have ended.
test('servers that are killed do everything once, and each response is final', async () => {
  const folder = temporaryFolder()
  /** The responses of each client. */
  const begun: Received[][] = []
  const begin = () => begun[begun.push([]) - 1] ?? []
  const finish = async (server: LocalServer, responses: Received[]): Promise<void> => {
    const request = requestsOf(begun.indexOf(responses), responses)[responses.length]
    if (!request) return
    responses.push(await call(server, request))
    await finish(server, responses)
  }

  for (const [i, write] of fc
    .sample(fc.integer({ min: 1, max: 20 }), { seed: 20261120, numRuns: KILLS })
    .entries()) {
    const env = { DIE_AT_WRITE: `${write}`, DIE_WHEN: ['before', 'during', 'after'][i % 3] ?? '' }
    const dying = await startServer(['--empty', '--data', folder], {
      NODE_OPTIONS: `--import=${PRELOADED}`,
      ...env,
    })
    const exited = once(dying.process, 'exit')
    const unfinished = [...begun]
    const client = async () => {
      for (;;) await finish(dying, unfinished.pop() ?? begin())
    }
    await Promise.allSettled(Array.from({ length: 8 }, client))
    const [, signal] = await exited
    if (signal !== 'SIGKILL') throw new Error(`A server ended by itself: ${dying.output()}`)
  }
  const server = await startTestServer(['--empty', '--data', folder])
  const turn = atMost(8)
  await Promise.all(begun.map((responses) => turn(() => finish(server, responses))))

  expect(begun.length).toBeGreaterThan(KILLS)
  for (const [number, responses] of begun.entries())
    for (const [i, { status, ...request }] of requestsOf(number, responses).entries()) {
      expect(responses[i]?.status, `${request.method} ${request.path}`).toBe(status)
      const { text, headers } = await call(server, request)
      expect({ text, headers }).toMatchObject({
        text: responses[i]?.text,
        headers: { 'idempotent-replayed': 'true' },
      })
    }
  const left = begun
    .filter((_, number) => !isDeleted(number))
    .map(([created]) => ({ ...Object(created?.body), status: 'sold' }))
  left.sort((a, b) => b.id - a.id)
  const lists = [await listAll(server), await listAll(server, '&status=sold')]
  expect([...lists, await listAll(server, '&status=available')]).toEqual([left, left, []])
})
