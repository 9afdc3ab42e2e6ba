import { afterAll, expect, test } from 'vitest'
import { headersOf, listAll } from '../infra/local/catalogue.ts'
import { send } from '../support/http.ts'
import { startServer } from '../support/server.ts'
import { endpoint } from './stored.ts'

// Two processes, with one database.
const servers = await Promise.all([1, 2].map(() => startServer([], { AWS_ENDPOINT_URL_DYNAMODB: endpoint })))
afterAll(() => Promise.all(servers.map(({ stop }) => stop())))

test('50 requests at once, with one key, to two servers, make one animal', async () => {
  const body = '{"name":"Rex","categoryId":7}'
  const requests = servers.flatMap((server) => {
    const headers = { ...headersOf(server), 'Idempotency-Key': 'order-1742' }
    return Array.from({ length: 25 }, () => ({ server, headers }))
  })

  const responses = await Promise.all(
    requests.map(({ server, headers }) => send(server.baseUrl, { method: 'POST', path: '/pets', headers, body })),
  )

  const listed = await Promise.all(servers.map(listAll))
  expect(responses.map(({ status, text }) => `${status} ${text}`)).toEqual(
    responses.map(() => `201 ${JSON.stringify(listed[0]?.[0])}`),
  )
  expect(responses.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1)
  expect(listed).toEqual([[responses[0]?.body], [responses[0]?.body]])
})
