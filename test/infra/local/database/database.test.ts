import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CommandError } from '../../../../infra/command-line.ts'
import { prepareDatabase } from '../../../../infra/local/database/create-tables.ts'
import {
  namedDatabase,
  startDatabase,
  useDatabase,
} from '../../../../infra/local/database/local-database.ts'
import { tableIds } from '../../../../shared/data/tables.ts'
import { send } from '../../../support/http.ts'
import { newPet } from '../../../support/pets.ts'
import { environment } from '../../../support/process.ts'
import { endWithParent, headersOf, ready, temporaryFolder } from '../../../support/server.ts'
import {
  createTable,
  embedded,
  request,
  tablesAt,
} from '../../packages/embedded-dynamodb/database.ts'

const refused = (folder: string, reason: string) =>
  new CommandError(`Cannot use the data folder ${folder}: ${reason}`)

test('refuses a data folder that is a file, cannot be created or has no name', async () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  const open = (folder: string) =>
    startDatabase({ existing: undefined, folder }).catch((error) => error)

  expect([await open(file), await open('')]).toEqual([
    refused(file, `ENOTDIR: not a directory, scandir '${file}'`),
    new CommandError('--data is empty. Name a folder, or omit --data to keep the data in memory.'),
  ])
  expect((await open('/proc/data')).message).toMatch('Cannot use the data folder /proc/data: ')
})

test('a full disk ends the server with a sentence', async () => {
  // A limit on the size of files stands for the size of the disk.
  const command =
    'ulimit -f 128; exec node "$OPTION" infra/local/main.ts --no-watch --empty --port 0 --data "$FOLDER"'
  const env = { ...environment, OPTION: endWithParent, FOLDER: temporaryFolder() }
  const server = await ready(spawn('bash', ['-c', command], { env }))
  const exited = once(server.process, 'exit')
  const body = JSON.stringify(newPet('x'.repeat(1000)))
  const create = { method: 'POST', path: '/pets', headers: headersOf(server), body }

  const isServed = () => send(server.baseUrl, create).then(Boolean, () => false)
  while (await isServed());

  expect(await exited).toEqual([1, null])
  expect(server.output()).toMatch(
    /\nCannot use the data folder \S+: IO error: .+: File too large\n/,
  )
})

test('creates what a named database lacks, but refuses one of another version', async () => {
  const endpoint = await embedded()
  const open = () => prepareDatabase({ kind: 'named', endpoint })
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
  const reason = 'PetStoreLocal-Pets lacks the index newest. Use an empty database.'
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
    const { database } = await startDatabase({ existing: namedDatabase(), folder })
    await prepareDatabase(database)
  }

  await expect(open()).rejects.toEqual(new CommandError(message))
})

test('allows the host of a database that is named twice, and no other', () => {
  vi.stubEnv('ALLOW_DYNAMODB_HOST', 'database.example')
  onTestFinished(() => void vi.unstubAllEnvs())

  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://database.example:8000')
  expect(namedDatabase()).toEqual({ kind: 'named', endpoint: 'http://database.example:8000' })
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://other.example:8000')
  expect(namedDatabase).toThrow(new CommandError(notHere('other.example')))
})

test.each([
  ['server', {}],
  ['named', { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'key', AWS_SESSION_TOKEN: 'token' }],
] as const)('a database that is %s gets %j of the AWS settings of the shell', (kind, kept) => {
  const before = { ...process.env }
  onTestFinished(() => {
    for (const name of Object.keys(process.env)) delete process.env[name]
    Object.assign(process.env, before)
  })
  for (const name of Object.keys(process.env)) if (/^AWS_/.test(name)) delete process.env[name]
  Object.assign(process.env, {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
    AWS_PROFILE: 'of-another-account',
    AWS_USE_FIPS_ENDPOINT: 'true',
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true',
  })

  useDatabase({ kind, endpoint: 'http://127.0.0.1:1' })

  const settings = Object.entries(process.env).filter(([name]) => /^AWS_/.test(name))
  expect(Object.fromEntries(settings)).toEqual({
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    ...kept,
    AWS_SECRET_ACCESS_KEY: kind === 'named' ? 'secret' : 'local',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  })
})

test.each(['localhost', '127.0.0.2', '[::1]'])('allows %s, which is this machine', (host) => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://${host}:8000`)
  onTestFinished(() => void vi.unstubAllEnvs())

  expect(namedDatabase()?.endpoint).toBe(`http://${host}:8000`)
})
