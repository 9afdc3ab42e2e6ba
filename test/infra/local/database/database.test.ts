import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Level } from 'level'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CommandError } from '../../../../infra/command-line.ts'
import { createTables } from '../../../../infra/local/database/create-tables.ts'
import {
  namedDatabase,
  openDatabase,
  useDatabase,
} from '../../../../infra/local/database/local-database.ts'
import { tableIds } from '../../../../shared/data/tables.ts'
import { temporaryFolder } from '../../../support/server.ts'
import {
  createTable,
  embedded,
  request,
  tablesAt,
} from '../../packages/embedded-dynamodb/database.ts'

test('refuses a data folder that is a file', async () => {
  const folder = join(temporaryFolder(), 'file')
  writeFileSync(folder, '')

  const reason = `ENOTDIR: not a directory, scandir '${folder}'`
  await expect(openDatabase(undefined, folder)).rejects.toEqual(
    new CommandError(`Cannot use the data folder ${folder}: ${reason}`),
  )
})

test('a full disk ends the server with a sentence, and no request has a success', async () => {
  onTestFinished(() => {
    process.exitCode = undefined
    vi.restoreAllMocks()
  })
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const full = Object.assign(new Error('IO error: No space left'), { code: 'LEVEL_IO_ERROR' })
  vi.spyOn(Level.prototype, 'batch').mockRejectedValue(full)
  const folder = temporaryFolder()
  const { endpoint } = await openDatabase(undefined, folder)
  await createTable(endpoint)

  const put = request(endpoint, 'PutItem', { TableName: 'Things', Item: { id: { N: '7' } } })

  await expect(put).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect([exit.mock.calls, process.exitCode]).toEqual([[[]], 1])
  const line = `Cannot use the data folder ${folder}: IO error: No space left\n`
  expect(printed.mock.calls).toEqual([[line]])
})

test('creates what a named database lacks, but refuses one of another version', async () => {
  const endpoint = await embedded()
  const open = () => createTables(endpoint)
  const pets = { TableName: 'PetStoreLocal-Pets' }
  await open()
  await request(endpoint, 'PutItem', { ...pets, Item: { id: { N: '7' } } })
  await request(endpoint, 'DeleteTable', { TableName: 'PetStoreLocal-ApiKeys' })
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
    'PetStoreLocal-Pets lacks the index newest. Start again with an empty database, or use the ' +
    'commit that made this one.'
  await expect(open()).rejects.toEqual(new CommandError(reason))
})

const stubEndpoint = (endpoint: string) => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint)
  onTestFinished(() => void vi.unstubAllEnvs())
}

test.each(['dynamodb', 'https://dynamodb.us-east-1.amazonaws.com', 'http://127.0.0.1.example.com'])(
  'refuses the endpoint %s',
  (endpoint) => {
    stubEndpoint(endpoint)

    expect(namedDatabase).toThrow(/^AWS_ENDPOINT_URL_DYNAMODB must be the URL .+ on this machine/)
  },
)

test.each(['localhost', '127.0.0.2', '[::1]'])('uses %s, which is this machine', async (host) => {
  const endpoint = `http://${host}:8000`
  stubEndpoint(endpoint)

  const named = namedDatabase()

  expect(named).toBe(endpoint)
  await expect(openDatabase(undefined, 'pets')).rejects.toThrow('--data needs the ')
})

test('uses a database with no AWS settings of the shell', () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const name of Object.keys(process.env)) if (/^AWS_/.test(name)) vi.stubEnv(name, undefined)
  const others = { AWS_PROFILE: 'other', AWS_REGION: 'eu-west-1', AWS_SESSION_TOKEN: 'token' }
  for (const [name, value] of Object.entries(others)) vi.stubEnv(name, value)

  useDatabase('http://127.0.0.1:1')

  const settings = Object.entries(process.env).filter(([name]) => /^AWS_/.test(name))
  expect(Object.fromEntries(settings)).toEqual({
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  })
})
