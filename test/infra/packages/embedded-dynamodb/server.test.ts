import { expect, test } from 'vitest'
import { wireTo } from '../local-gateway/gateway.ts'
import { createTable, embedded, request, tablesAt } from './database.ts'

test.each([
  ['TagResource', {}, 'The embedded database has no operation TagResource.'],
  ['TransactGetItems', null, expect.stringContaining('TypeError: ')],
  [
    'CreateTable',
    { LocalSecondaryIndexes: [] },
    'The embedded database has no local secondary indexes. Use a global one.',
  ],
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

test('an embedded database keeps running when a client disconnects in the middle of a request', async () => {
  const endpoint = await embedded()
  const half = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20\r\n\r\n{'
  const { socket, rest } = await wireTo({ baseUrl: endpoint }, half)

  socket.end()
  await rest()

  expect(await tablesAt(endpoint)).toEqual([])
})

test.each([
  [403, { Origin: 'http://localhost' }],
  [403, { Host: 'example.com:8000' }],
  [400, { Host: '[::1]:8000' }],
])('an embedded database is closed to web pages: %d to %j', async (status, headers) => {
  const response = await request(await embedded(), 'None', {}, headers)

  expect(response.status).toBe(status)
})

test('refuses keys, also those of indexes, that are longer in bytes than DynamoDB allows', async () => {
  const endpoint = await embedded()
  const keys = (hash: string, range: string) => [
    { AttributeName: hash, KeyType: 'HASH' },
    { AttributeName: range, KeyType: 'RANGE' },
  ]
  const index = { IndexName: 'byStatus', KeySchema: keys('status', 'name') }
  await createTable(endpoint, 'Pets', {
    AttributeDefinitions: ['owner', 'name', 'status'].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S',
    })),
    KeySchema: keys('owner', 'name'),
    GlobalSecondaryIndexes: [{ ...index, Projection: { ProjectionType: 'ALL' } }],
  })
  const put = async (owner: number, name: number, status: number) => {
    // Each letter has two bytes.
    const text = (bytes: number) => ({ S: 'é'.repeat(bytes / 2) })
    const Item = { owner: text(owner), name: text(name), status: text(status) }
    return (await request(endpoint, 'PutItem', { TableName: 'Pets', Item })).text
  }

  const hash = expect.stringContaining('Size of hashkey has exceeded the maximum size limit')
  const range = expect.stringContaining('Aggregated size of all range keys has exceeded')
  expect([
    await put(2048, 1024, 2048),
    await put(2050, 2, 2),
    await put(2, 1026, 2),
    await put(2, 2, 2050),
  ]).toEqual(['{}', hash, range, hash])
})
