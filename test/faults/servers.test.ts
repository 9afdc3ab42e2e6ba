import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { atMost } from '../../infra/local/server.ts'
import { headersOf, listAll, start, temporaryFolder } from '../infra/local/command.ts'
import { endpoint } from '../shared/data/faulty-database.ts'
import { type Received, type Sent, send } from '../support/http.ts'
import { type LocalServer, startServer } from '../support/server.ts'
import { runsAll, seed } from './fault-kinds.ts'

const createRequest = (name: string): Sent => ({
  method: 'POST',
  path: '/pets',
  headers: { 'Idempotency-Key': name },
  body: JSON.stringify({ name, categoryId: 7 }),
})

/** Sends a request until its response is no 503, because on a busy machine the database can seem slow. */
const sendUntilServed = async (
  server: LocalServer,
  request: Sent,
  onSend = () => {},
  limit = 10,
): Promise<Received> => {
  onSend()
  const headers = { ...headersOf(server), ...request.headers }
  const received = await send(server.baseUrl, { ...request, headers })
  return received.status === 503 && limit > 1 ? sendUntilServed(server, request, onSend, limit - 1) : received
}

test('two servers create one pet for 50 concurrent requests with one key', async () => {
  const servers = await Promise.all([1, 2].map(() => start([], { AWS_ENDPOINT_URL_DYNAMODB: endpoint })))
  let sent = 0
  const create = (server: LocalServer) => sendUntilServed(server, createRequest('Rex'), () => sent++)

  const responses = await Promise.all(servers.flatMap((server) => Array.from({ length: 25 }, () => create(server))))

  const [pets, samePets] = await Promise.all(servers.map(listAll))
  expect(pets).toEqual([{ id: expect.any(Number), name: 'Rex', categoryId: 7 }])
  expect(samePets).toEqual(pets)
  const expected = `201 ${JSON.stringify(pets?.[0])}`
  expect(responses.map(({ status, text }) => `${status} ${text}`)).toEqual(responses.map(() => expected))
  // If a busy machine delays the request that creates the pet until its 503, all 201s are replays.
  const originals = responses.filter(({ headers }) => headers['idempotent-replayed'] === undefined)
  expect(originals.length).toEqual(sent === 50 ? 1 : expect.toBeOneOf([0, 1]))
})

/** A pet that clients request until there is a response, and the responses. */
type Wish = { name: string; responses: string[] }

test('servers that are killed create each pet once, and lose none', { timeout: 600_000 }, async () => {
  const folder = temporaryFolder()
  const wishes: Wish[] = []
  // A create is three writes: the reservation, the pet in the index, and the pet.
  const writes = fc.sample(fc.integer({ min: 1, max: 30 }), { seed, numRuns: runsAll ? 100 : 3 })

  for (const [i, write] of writes.entries()) {
    const when = ['before', 'during', 'after'][i % 3] ?? ''
    await createUntilKilled(await startDying(folder, write, when), wishes)
  }
  const server = await start(['--data', folder])
  const turn = atMost(8)
  await Promise.all(wishes.map((wish) => turn(() => create(server, wish))))

  const listed = await listAll(server)
  const found = await Promise.all(listed.map(({ id }) => turn(() => sendUntilServed(server, { path: `/pets/${id}` }))))
  const created = wishes.map(({ responses }) => [...new Set(responses)])
  expect(created.map((texts) => texts.length)).toEqual(wishes.map(() => 1))
  expect(found.map(({ text }) => text).sort()).toEqual(created.flat().sort())
  expect(wishes.length).toBeGreaterThan(writes.length)
})

/** Starts a server that dies at a write to its data folder: before it, during it, or after it and before the response. */
const startDying = (folder: string, write: number, when: string): Promise<LocalServer> => {
  const preloaded = fileURLToPath(new URL('die-at-write.ts', import.meta.url))
  const env = { NODE_OPTIONS: `--import=${preloaded}`, DIE_AT_WRITE: String(write), DIE_WHEN: when }
  return startServer(['--data', folder], env)
}

/** Creates pets with eight clients, first those that got no response from an earlier server, until the server dies. */
const createUntilKilled = async (server: LocalServer, wishes: Wish[]): Promise<void> => {
  const exited = once(server.process, 'exit')
  const unfinished = wishes.filter(({ responses }) => responses.length === 0)
  const client = async () => {
    for (;;) await create(server, unfinished.pop() ?? newWish(wishes))
  }
  await Promise.allSettled(Array.from({ length: 8 }, client))
  const [, signal] = await exited
  if (signal !== 'SIGKILL') throw new Error(`A server ended by itself: ${server.output()}`)
}

const newWish = (wishes: Wish[]): Wish => {
  const wish = { name: `Rex-${wishes.length + 1}`, responses: [] }
  wishes.push(wish)
  return wish
}

/** Requests a pet. Rejects if the server dies before its response. */
const create = async (server: LocalServer, { name, responses }: Wish): Promise<void> => {
  const { status, text } = await sendUntilServed(server, createRequest(name))
  responses.push(status === 201 ? text : `${status} ${text}`)
}
