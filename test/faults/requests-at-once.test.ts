import { afterAll, expect, test } from 'vitest'
import { headersOf, listAll } from '../infra/local/catalogue.ts'
import { type Received, send } from '../support/http.ts'
import { type LocalServer, startServer } from '../support/server.ts'
import { endpoint } from './stored.ts'

// Two processes, with one database.
const servers = await Promise.all([1, 2].map(() => startServer([], { AWS_ENDPOINT_URL_DYNAMODB: endpoint })))
afterAll(() => Promise.all(servers.map(({ stop }) => stop())))

test('50 requests at once, with one key, to two servers, make one pet', async () => {
  const asked = servers.flatMap((server) => Array.from({ length: 25 }, () => askUntilServed(server)))

  const answers = await Promise.all(asked)

  const given = answers.map((all) => all.at(-1))
  const [pets, samePets] = await Promise.all(servers.map(listAll))
  expect(pets).toEqual([{ id: expect.any(Number), name: 'Rex', categoryId: 7 }])
  expect(samePets).toEqual(pets)
  expect(given.map((last) => `${last?.status} ${last?.text}`)).toEqual(
    given.map(() => `201 ${JSON.stringify(pets?.[0])}`),
  )
  // Where a busy machine keeps the request that makes it for too long, none of the 201s is its.
  const makers = given.filter((last) => last?.headers['idempotent-replayed'] === undefined)
  expect(makers.length).toEqual(answers.every(({ length }) => length === 1) ? 1 : expect.toBeOneOf([0, 1]))
})

/** All answers to a request that is sent until it is served. */
const askUntilServed = async (server: LocalServer): Promise<Received[]> => {
  const headers = { ...headersOf(server), 'Idempotency-Key': 'order-1742' }
  const request = { method: 'POST', path: '/pets', headers, body: '{"name":"Rex","categoryId":7}' }
  const answers = [await send(server.baseUrl, request)]
  while (answers.at(-1)?.status === 503 && answers.length < 10) answers.push(await send(server.baseUrl, request))
  return answers
}
