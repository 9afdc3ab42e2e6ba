import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { atMost } from '../../infra/local/server.ts'
import { service } from '../../shared/service.ts'
import { type Received, type Sent, sendUntilServed } from '../support/http.ts'
import {
  headersOf,
  type LocalServer,
  listAll,
  type Pet,
  start,
  startServer,
  temporaryFolder,
} from '../support/server.ts'

// `npm run test:faults` kills more of them.
const KILLS = process.env.FAULTS === 'all' ? 100 : 3

/** Sends a request with the API key of the server. */
const call = (server: LocalServer, { headers, ...request }: Sent): Promise<Received> =>
  sendUntilServed(server.baseUrl, { ...request, headers: { ...headersOf(server), ...headers } })

/** A pet that clients create, change and, if its number is even, delete; and the responses so far. */
type Wish = { number: number; responses: Received[] }

test('servers that are killed create, change and delete each pet once, and lose none', async () => {
  const folder = temporaryFolder()
  const wishes: Wish[] = []
  // A pet is two or three writes: it is created, changed and, if its number is even, deleted.
  const writes = fc.sample(fc.integer({ min: 1, max: 20 }), { seed: 20261120, numRuns: KILLS })

  for (const [i, write] of writes.entries()) {
    const when = ['before', 'during', 'after'][i % 3] ?? ''
    const dying = await startDying(folder, write, when)
    await expectListsToAgree(dying)
    await workUntilKilled(dying, wishes)
  }
  const server = await start(['--data', folder])
  await expectListsToAgree(server)
  const turn = atMost(8)
  await Promise.all(wishes.map((wish) => turn(() => finish(server, wish))))
  const retried = await Promise.all(wishes.map((wish) => turn(() => call(server, createOf(wish)))))

  const [listed, sold] = [await listAll(server), await listAll(server, '&status=sold')]
  const stored = await storedIn(server)
  expect(wishes.map(({ responses }) => responses.map(({ status }) => status))).toEqual(
    wishes.map((wish) => (isDeleted(wish) ? [201, 200, expect.toBeOneOf([204, 404])] : [201, 200])),
  )
  expect(retried.map(({ text }) => text)).toEqual(wishes.map(({ responses }) => responses[0]?.text))
  const left = wishes.filter((wish) => !isDeleted(wish)).map(({ responses }) => responses[1]?.body as Pet)
  expect(stored).toEqual(left.sort((a, b) => b.id - a.id))
  expect([listed, sold]).toEqual([stored, stored])
  expect(wishes.length).toBeGreaterThan(writes.length)
})

/** Checks that both lists have the pets as they are stored, also those whose last change got no response. */
const expectListsToAgree = async (server: LocalServer): Promise<void> => {
  const [listed, sold] = [await listAll(server), await listAll(server, '&status=sold')]
  const stored = await storedIn(server)
  expect(listed).toEqual(stored)
  expect(sold).toEqual(stored.filter(({ status }) => status === 'sold'))
}

/** The pets in the table of a server, newest first. */
const storedIn = async (server: LocalServer): Promise<Pet[]> => {
  const [endpoint = ''] = /(?<=Database +)http:\S+/.exec(server.output()) ?? []
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region: 'us-east-1', credentials }))
  const { Items = [] } = await client.send(new ScanCommand({ TableName: `${service.stack}Local-Pets` }))
  return Items.map(({ id, name, categoryId, status }) => ({ id, name, categoryId, ...(status && { status }) })).sort(
    (a, b) => b.id - a.id,
  )
}

/** Starts a server that dies at a write to its data folder: before it, during it, or after it and before the response. */
const startDying = (folder: string, write: number, when: string): Promise<LocalServer> => {
  const preloaded = fileURLToPath(new URL('die-at-write.ts', import.meta.url))
  const env = { NODE_OPTIONS: `--import=${preloaded}`, DIE_AT_WRITE: String(write), DIE_WHEN: when }
  return startServer(['--data', folder], env)
}

/** Sends requests with eight clients, first those that got no response from an earlier server, until the server dies. */
const workUntilKilled = async (server: LocalServer, wishes: Wish[]): Promise<void> => {
  const exited = once(server.process, 'exit')
  const unfinished = [...wishes]
  const client = async () => {
    for (;;) await finish(server, unfinished.pop() ?? newWish(wishes))
  }
  await Promise.allSettled(Array.from({ length: 8 }, client))
  const [, signal] = await exited
  if (signal !== 'SIGKILL') throw new Error(`A server ended by itself: ${server.output()}`)
}

const newWish = (wishes: Wish[]): Wish => {
  const wish = { number: wishes.length + 1, responses: [] }
  wishes.push(wish)
  return wish
}

/** Sends the requests that have no response yet. Rejects if the server dies before a response. */
const finish = async (server: LocalServer, wish: Wish): Promise<void> => {
  for (const request of [createOf, changeOf, deleteOf].slice(wish.responses.length, isDeleted(wish) ? 3 : 2)) {
    wish.responses.push(await call(server, request(wish)))
  }
}

const isDeleted = ({ number }: Wish): boolean => number % 2 === 0

const createOf = ({ number }: Wish): Sent => ({
  method: 'POST',
  path: '/pets',
  headers: { 'Idempotency-Key': `rex-${number}` },
  body: JSON.stringify({ name: `Rex ${number}`, categoryId: 7 }),
})

const changeOf = (wish: Wish): Sent => ({
  method: 'PATCH',
  path: pathOf(wish),
  body: '{"categoryId":8,"status":"sold"}',
})

const deleteOf = (wish: Wish): Sent => ({ method: 'DELETE', path: pathOf(wish) })

const pathOf = ({ responses }: Wish): string => `/pets/${(responses[0]?.body as Pet | undefined)?.id}`
