import { once } from 'node:events'
import { Level } from 'level'
import { expect, onTestFinished, test, vi } from 'vitest'
import { wireTo } from '../local-gateway/gateway.ts'
import { createTable, embedded, request, tablesAt } from './database.ts'

test.each([
  ['TagResource', {}, 'The embedded database has no operation TagResource.'],
  ['TransactGetItems', null, expect.stringContaining('TypeError: ')],
])(
  'an embedded database refuses what it cannot do, and keeps running: %s',
  async (operation, body, message) => {
    const endpoint = await embedded()

    const { status, text } = await request(endpoint, operation, body)

    const error = { __type: expect.stringMatching(/Exception$/), message }
    expect([status, JSON.parse(text)]).toEqual([400, error])
    expect(await tablesAt(endpoint)).toEqual([])
  },
)

test('a query leaves no iterator open', async () => {
  const endpoint = await embedded()
  await createTable(endpoint)
  const stores = Object.getPrototypeOf(Level.prototype)
  const [opened, closed] = [vi.spyOn(stores, 'attachResource'), vi.spyOn(stores, 'detachResource')]
  onTestFinished(() => void vi.restoreAllMocks())

  const query = {
    KeyConditionExpression: 'id = :id',
    ExpressionAttributeValues: { ':id': { N: '7' } },
  }
  await request(endpoint, 'Query', { TableName: 'Things', ...query })

  expect(opened.mock.calls.length).toBeGreaterThan(0)
  await vi.waitFor(() => expect(closed.mock.calls.length).toBe(opened.mock.calls.length), 30_000)
})

test('an embedded database keeps running when a client disconnects in the middle of a request', async () => {
  const endpoint = await embedded()
  const { socket } = await wireTo({ baseUrl: endpoint })

  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n{', () =>
    socket.resetAndDestroy(),
  )
  await once(socket, 'close')

  expect(await tablesAt(endpoint)).toEqual([])
})

test.each([
  [403, { Origin: 'http://localhost' }],
  [403, { Host: 'example.com:8000' }],
  [403, { Host: '127.0.0.1.example.com' }],
  [400, { Host: '[::1]:8000' }],
])('an embedded database is closed to web pages: %d to %j', async (status, headers) => {
  const response = await request(await embedded(), 'None', {}, headers)

  expect(response.status).toBe(status)
})
