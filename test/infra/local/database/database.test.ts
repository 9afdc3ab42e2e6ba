import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Level } from 'level'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CommandError } from '../../../../infra/command-line.ts'
import { namedDatabase, startDatabase } from '../../../../infra/local/database/database.ts'
import { startEmbedded } from '../../../../infra/local/database/embedded-database.ts'
import { prepareDatabase } from '../../../../infra/local/database/tables.ts'
import { tableIds } from '../../../../shared/data/tables.ts'
import { send } from '../../../support/http.ts'
import { newPet } from '../../../support/pets.ts'
import { environment } from '../../../support/process.ts'
import { endWithParent, headersOf, ready, temporaryFolder } from '../../../support/server.ts'
import { wireTo } from '../local-server.ts'

/** An embedded database that is closed when the test ends. */
const embedded = async (folder?: string): Promise<string> => {
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

test('only one server at a time gets a data folder', async () => {
  const folder = temporaryFolder()
  const { endpoint, close } = await startEmbedded(folder)
  await createTable(endpoint)

  const second = await startEmbedded(folder).catch((error) => error)
  await close()

  expect(second).toEqual(refused(folder, 'another server is using it.'))
  expect(await tablesAt(await embedded(folder))).toEqual(['Things'])
})

test('refuses a data folder that is a file, cannot be created or has no name', async () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  const open = (folder: string) =>
    startDatabase({ named: undefined, folder }).catch((error) => error)

  expect([await open(file), await open('')]).toEqual([
    refused(file, `ENOTDIR: not a directory, scandir '${file}'`),
    new CommandError('--data is empty. Name a folder, or omit --data to keep the data in memory.'),
  ])
  expect((await open('/proc/data')).message).toMatch('Cannot use the data folder /proc/data: ')
})

/** The names and contents of the files in a folder. */
const filesIn = (folder: string) =>
  readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'latin1')])

const LOST = 'its file CURRENT is missing. Restore that file, or choose a new folder.'
const OTHER =
  'it has other files, or data of another version. Choose a new folder, or use that version.'

test.each([
  ['of another version', /^format-/, 'format-2', OTHER],
  ['that has lost a file', 'CURRENT', 'lost', LOST],
])('refuses a data folder %s, and leaves it as it is', async (_name, file, renamed, reason) => {
  const folder = temporaryFolder()
  const { endpoint, close } = await startEmbedded(folder)
  await createTable(endpoint)
  await close()
  const found = readdirSync(folder).find((each) => each.match(file)) ?? ''
  renameSync(join(folder, found), join(folder, renamed))
  const before = filesIn(folder)

  await expect(startEmbedded(folder)).rejects.toEqual(refused(folder, reason))

  expect(filesIn(folder)).toEqual(before)
})

test('a full disk ends the server with a sentence', async () => {
  // A limit on the size of files stands for the size of the disk.
  const command =
    'ulimit -f 128; exec node "$OPTION" infra/local/main.ts --no-watch --port 0 --data "$FOLDER"'
  const env = { ...environment, OPTION: endWithParent, FOLDER: temporaryFolder() }
  const server = await ready(spawn('bash', ['-c', command], { env }))
  const exited = once(server.process, 'exit')
  const body = JSON.stringify(newPet('x'.repeat(1000)))
  const create = { method: 'POST', path: '/pets', headers: headersOf(server), body }

  const isServed = () => send(server.baseUrl, create).then(Boolean, () => false)
  while (await isServed());

  expect(await exited).toEqual([1, null])
  expect(server.output()).toMatch(/\nCannot use the data folder: IO error: .+: File too large\n$/)
})

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

test('creates what a named database lacks, but refuses one of another version', async () => {
  const endpoint = await embedded()
  const open = () => prepareDatabase({ endpoint, isNamed: true })
  const pets = { TableName: 'PetStoreLocal-Pets' }
  await open()
  await request(endpoint, 'PutItem', { ...pets, Item: { id: { N: '7' } } })
  await request(endpoint, 'DeleteTable', { TableName: 'PetStoreLocal-Orders' })
  await expect.poll(() => tablesAt(endpoint)).toHaveLength(tableIds.length - 1)

  await open()
  const found = [await tablesAt(endpoint), (await request(endpoint, 'Scan', pets)).text]
  await request(endpoint, 'DeleteTable', pets)
  await expect.poll(() => tablesAt(endpoint)).toHaveLength(tableIds.length - 1)
  await createTable(endpoint, pets.TableName)

  expect(found).toEqual([
    expect.objectContaining({ length: tableIds.length }),
    expect.stringContaining('"Count":1,'),
  ])
  const reason =
    'The table PetStoreLocal-Pets lacks the index newest: another version of this service made it. ' +
    'Use that version, or an empty database.'
  await expect(open()).rejects.toEqual(new CommandError(reason))
})

const NOT_EMBEDDED =
  '--data needs the embedded database, but AWS_ENDPOINT_URL_DYNAMODB names another one.'
const notHere = (host: string) =>
  'AWS_ENDPOINT_URL_DYNAMODB must name this machine, because the local API key is public. ' +
  `If only developers use ${host}, set ALLOW_DYNAMODB_HOST=${host}.`

const useless = (endpoint: string, reason: string) =>
  `Cannot use the DynamoDB at ${endpoint}, which AWS_ENDPOINT_URL_DYNAMODB names: ${reason}. ` +
  'Start it, or unset the variable to use the embedded one.'

test.each<[string, string, string?]>([
  ['http://127.0.0.1:1', useless('http://127.0.0.1:1', 'connect ECONNREFUSED 127.0.0.1:1')],
  ['dynamodb', useless('dynamodb', 'Invalid URL')],
  ['https://dynamodb.us-iso-east-1.c2s.ic.gov/', notHere('dynamodb.us-iso-east-1.c2s.ic.gov')],
  ['https://DYNAMODB.us-east-1.AMAZONAWS.COM:443?x', notHere('dynamodb.us-east-1.amazonaws.com')],
  ['http://127.0.0.1.example.com', notHere('127.0.0.1.example.com')],
  ['http://127.0.0.1:1', NOT_EMBEDDED, 'folder'],
])('refuses the endpoint %s', async (endpoint, message, folder) => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint)
  onTestFinished(() => void vi.unstubAllEnvs())

  const open = async () => {
    const { database } = await startDatabase({ named: namedDatabase(), folder })
    await prepareDatabase(database.address)
  }

  await expect(open()).rejects.toEqual(new CommandError(message))
})

test('allows the host of a database that is named twice', () => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://database.example:8000')
  vi.stubEnv('ALLOW_DYNAMODB_HOST', 'database.example')
  onTestFinished(() => void vi.unstubAllEnvs())

  expect(namedDatabase()).toEqual({ endpoint: 'http://database.example:8000', isNamed: true })
})

test.each(['localhost', '127.0.0.2', '[::1]'])('allows %s, which is this machine', (host) => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://${host}:8000`)
  onTestFinished(() => void vi.unstubAllEnvs())

  expect(namedDatabase()?.endpoint).toBe(`http://${host}:8000`)
})
