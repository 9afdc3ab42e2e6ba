import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Level } from 'level'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CommandError } from '../../../../infra/command-line.ts'
import { namedDatabase, openDatabase } from '../../../../infra/local/database/database.ts'
import { startEmbedded } from '../../../../infra/local/database/embedded-database.ts'
import { temporaryFolder } from '../../../support/server.ts'
import { wireTo } from '../local-server.ts'

/** An embedded database that is closed when the test ends. */
const startDatabase = async (folder?: string): Promise<string> => {
  const { endpoint, close } = await startEmbedded(folder)
  onTestFinished(close)
  return endpoint
}

/** Sends a request to an embedded database as the SDK does. */
const request = async (endpoint: string, operation: string, body: unknown, headers = {}) => {
  const options = {
    method: 'POST',
    headers: { 'X-Amz-Target': `DynamoDB_20120810.${operation}`, ...headers },
  }
  const [response] = await once(
    httpRequest(endpoint, options).end(JSON.stringify(body)),
    'response',
  )
  return { status: response.statusCode, text: await text(response) }
}

const tablesAt = async (endpoint: string) =>
  JSON.parse((await request(endpoint, 'ListTables', {})).text).TableNames

const createTable = async (endpoint: string, TableName = 'Things') => {
  await request(endpoint, 'CreateTable', {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'N' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  })
  const isActive = async () =>
    (await request(endpoint, 'DescribeTable', { TableName })).text.includes('"ACTIVE"')
  await vi.waitUntil(isActive, 30_000)
}

const refused = (folder: string, reason: string) =>
  new CommandError(`Cannot use the data folder ${folder}: ${reason}`)

test('only one of two servers that start at once gets a data folder, until it closes', async () => {
  const folder = temporaryFolder()

  const started = await Promise.allSettled([startEmbedded(folder), startEmbedded(folder)])
  const databases = started.flatMap((result) =>
    result.status === 'fulfilled' ? [result.value] : [],
  )
  for (const { endpoint } of databases) await createTable(endpoint)
  const third = await startEmbedded(folder).catch((error) => error)
  for (const { close } of databases) await close()

  const reason = refused(folder, 'another server is using it.')
  expect(started).toContainEqual({ status: 'rejected', reason })
  expect([databases.length, third]).toEqual([1, reason])
  expect(await tablesAt(await startDatabase(folder))).toEqual(['Things'])
})

test('recreates a table whose creation was interrupted', async () => {
  const folder = temporaryFolder()
  const { endpoint, close } = await startEmbedded(folder)
  await createTable(endpoint)
  await close()
  const store = new Level<string, object>(folder, { valueEncoding: 'json' })
  await store.put('table~Things', { ...(await store.get('table~Things')), TableStatus: 'CREATING' })
  await store.close()

  const restarted = await startDatabase(folder)

  expect(await tablesAt(restarted)).toEqual([])
  await createTable(restarted)
})

test('refuses a data folder that is a file or below one, or has no name', async () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  const below = join(file, 'below')

  const opened = [file, below, ''].map((folder) => openDatabase({ folder }).catch((error) => error))

  expect(await Promise.all(opened)).toEqual([
    refused(file, `EEXIST: file already exists, mkdir '${file}'`),
    refused(below, `ENOTDIR: not a directory, mkdir '${below}'`),
    new CommandError('--data is empty. Name a folder, or omit --data to keep the data in memory.'),
  ])
})

test('refuses a folder of somebody else, or of another version, and leaves it as it is', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, '7.ldb'), 'anything')

  const reason = 'it has other files, or data of another version. Choose a new folder.'
  await expect(startEmbedded(folder)).rejects.toEqual(refused(folder, reason))

  expect(readdirSync(folder)).toEqual(['7.ldb'])
  expect(readFileSync(join(folder, '7.ldb'), 'utf8')).toBe('anything')
})

test.each([
  ['null as a key', 'GetItem', { TableName: 'Things', Key: { id: null } }],
  ['no object', 'TransactGetItems', null],
])('an embedded database keeps running when it gets %s', async (_name, operation, body) => {
  const endpoint = await startDatabase()

  const { status } = await request(endpoint, operation, body)

  expect(status).toBe(400)
  expect(await tablesAt(endpoint)).toEqual([])
})

const long = `attribute_exists(id)${' AND attribute_exists(id)'.repeat(170)}`

test.each([
  ['UpdateTable', {}, 'TypeError: UpdateTable can only add an index to a table.'],
  ['TagResource', {}, 'The embedded database has no operation TagResource.'],
  [
    'Scan',
    { FilterExpression: long },
    'Invalid FilterExpression: Expression size has exceeded the maximum allowed size',
  ],
])('an embedded database refuses what it cannot do: %s', async (operation, body, message) => {
  const endpoint = await startDatabase()

  const { text } = await request(endpoint, operation, body)

  expect(JSON.parse(text)).toEqual({ __type: expect.stringMatching(/Exception$/), message })
})

test('a query leaves no iterator open', async () => {
  const endpoint = await startDatabase()
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
  const endpoint = await startDatabase()
  const { socket } = await wireTo({ baseUrl: endpoint })

  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n{', () =>
    socket.resetAndDestroy(),
  )
  await once(socket, 'close')

  expect(await tablesAt(endpoint)).toEqual([])
})

test.each([
  ['an Origin', { Origin: 'http://localhost' }, 403],
  ['the host of a web page', { Host: 'example.com:8000' }, 403],
  ['a host that begins like a loopback address', { Host: '127.0.0.1.example.com' }, 403],
  ['a loopback address and any port', { Host: '127.0.0.1:1' }, 400],
  ['the loopback address of IPv6', { Host: '[::1]:8000' }, 400],
])(
  'an embedded database is closed to web pages: a request with %s',
  async (_name, headers, status) => {
    const endpoint = await startDatabase()

    const response = await request(endpoint, 'None', {}, headers)

    expect(response.status).toBe(status)
  },
)

const NOT_EMBEDDED =
  '--data needs the embedded database, but AWS_ENDPOINT_URL_DYNAMODB names another one.'
const PUBLIC_KEY =
  'AWS_ENDPOINT_URL_DYNAMODB must not be an AWS endpoint: the local API key is public.'

const useless = (endpoint: string, reason: string) =>
  `Cannot use the DynamoDB at ${endpoint}, which AWS_ENDPOINT_URL_DYNAMODB names: ${reason}. ` +
  'Start it, or unset the variable to use the embedded one.'

test.each<[string, string, string?]>([
  ['http://127.0.0.1:1', useless('http://127.0.0.1:1', 'connect ECONNREFUSED 127.0.0.1:1')],
  ['dynamodb', useless('dynamodb', 'Invalid URL')],
  ['https://dynamodb.cn-north-1.amazonaws.com.cn/', PUBLIC_KEY],
  ['https://dynamodb.us-east-1.api.aws', PUBLIC_KEY],
  ['https://DYNAMODB.us-east-1.AMAZONAWS.COM.:443?x', PUBLIC_KEY],
  ['https://dynamodb.eusc-de-east-1.amazonaws.eu', PUBLIC_KEY],
  ['http://127.0.0.1:1', NOT_EMBEDDED, 'folder'],
])('refuses the endpoint %s', async (endpoint, message, folder) => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint)
  onTestFinished(() => void vi.unstubAllEnvs())

  const open = async () => openDatabase({ address: namedDatabase(), folder })

  await expect(open()).rejects.toEqual(new CommandError(message))
})
