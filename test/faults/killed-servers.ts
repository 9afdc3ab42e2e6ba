import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { expect } from 'vitest'
import { atMost } from '../../infra/local/server.ts'
import type { CollectionId } from '../../shared/data/tables.ts'
import { service } from '../../shared/service.ts'
import { type Received, type Sent, sendUntilServed } from '../support/http.ts'
import { headersOf, type LocalServer, start, startServer, temporaryFolder } from '../support/server.ts'
import { runsAll } from './fault-kinds.ts'

// Two tests kill so many each.
const KILLS = runsAll ? 25 : 3
const PRELOADED = fileURLToPath(new URL('die-at-write.ts', import.meta.url))

/** Requests of a client, each with its possible statuses. Requests follow from the number of the sequence and from responses. */
export type Sequence = (number: number, responses: Received[]) => (Sent & { statuses: number[] })[]

/**
 * Starts servers on one data folder, and kills each at one of its writes, while eight clients send sequences of requests. A last
 * server lives until all have ended. Checks each server before its clients, and the last one after them. Expects the statuses,
 * and that requests with an idempotency key get their response again. Returns the last server, and the responses of each sequence.
 */
export const killServers = async (sequence: Sequence, check: (server: LocalServer) => Promise<unknown>) => {
  const folder = temporaryFolder()
  const begun: Received[][] = []
  const begin = () => begun[begun.push([]) - 1] ?? []
  const requestsOf = (responses: Received[]) => sequence(begun.indexOf(responses), responses)
  const finish = async (server: LocalServer, responses: Received[]): Promise<void> => {
    const request = requestsOf(responses)[responses.length]
    if (!request) return
    responses.push(await call(server, request))
    await finish(server, responses)
  }

  for (const [i, write] of fc.sample(fc.integer({ min: 1, max: 20 }), { seed: 20261120, numRuns: KILLS }).entries()) {
    const env = { DIE_AT_WRITE: `${write}`, DIE_WHEN: ['before', 'during', 'after'][i % 3] ?? '' }
    const dying = await startServer(['--data', folder], { NODE_OPTIONS: `--import=${PRELOADED}`, ...env })
    await check(dying)
    const exited = once(dying.process, 'exit')
    const unfinished = [...begun]
    const client = async () => {
      for (;;) await finish(dying, unfinished.pop() ?? begin())
    }
    await Promise.allSettled(Array.from({ length: 8 }, client))
    const [, signal] = await exited
    if (signal !== 'SIGKILL') throw new Error(`A server ended by itself: ${dying.output()}`)
  }
  const server = await start(['--data', folder])
  await check(server)
  const turn = atMost(8)
  await Promise.all(begun.map((responses) => turn(() => finish(server, responses))))
  await check(server)

  for (const responses of begun)
    for (const [i, { statuses, ...request }] of requestsOf(responses).entries()) {
      expect(responses[i]?.status).toBeOneOf(statuses)
      if (request.headers) expect((await call(server, request)).text).toBe(responses[i]?.text)
    }
  expect(begun.length).toBeGreaterThan(KILLS)
  return { server, begun }
}

/** Sends a request with the API key of the server. */
const call = (server: LocalServer, { headers, ...request }: Sent): Promise<Received> =>
  sendUntilServed(server.baseUrl, { ...request, headers: { ...headersOf(server), ...headers } })

/** What is in a table of a server, newest first. */
export const storedIn = async (server: LocalServer, table: CollectionId): Promise<Record<string, unknown>[]> => {
  const [endpoint = ''] = /(?<=Database +)http:\S+/.exec(server.output()) ?? []
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region: 'us-east-1' }))
  const TableName = `${service.stack}Local-${table.charAt(0).toUpperCase()}${table.slice(1)}`
  const pages = await Array.fromAsync(paginateScan({ client }, { TableName }))
  return pages.flatMap(({ Items = [] }) => Items).sort((a, b) => b.id - a.id)
}
