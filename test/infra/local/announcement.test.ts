import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readAnnouncement } from '../../../infra/local/announcement.ts'
import { send } from '../../support/http.ts'
import { startServer } from '../../support/server.ts'
import { failure, runCommand } from '../keys/run-command.ts'

const NOT_RUNNING =
  'No local server was found: the one that was started last has ended, or its database is away. See npm start.'

let folder: string
let env: { LOCAL_DATABASE_FILE: string }

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-store-announcement-'))
  env = { LOCAL_DATABASE_FILE: join(folder, 'database.json') }
})

afterEach(() => rm(folder, { recursive: true }))

test('a server says where it and its database are as long as it runs', async () => {
  const { baseUrl, output, stop } = await startServer([], env)

  const [, endpoint] = /Database +(\S+)/.exec(output()) ?? []
  expect(readAnnouncement(env)).toEqual({ endpoint, baseUrl, apiKeysTable: 'PetStoreLocal-ApiKeys' })
  expect(await stop()).toBe(0)
  expect(await readdir(folder)).toEqual([])
})

test('a server on the DynamoDB of another one announces that', async () => {
  const first = await startServer([], env)
  const { endpoint = '' } = readAnnouncement(env) ?? {}
  const second = await startServer([], { ...env, AWS_ENDPOINT_URL_DYNAMODB: endpoint })

  expect(readAnnouncement(env)).toMatchObject({ endpoint, baseUrl: second.baseUrl })
  await Promise.all([first.stop(), second.stop()])
})

test.each([0, 1])(
  'of two servers, the later one is found until it stops: server %d stops first',
  async (stopsFirst) => {
    const servers = [await startServer([], env), await startServer([], env)]

    expect(readAnnouncement(env)).toMatchObject({ baseUrl: servers[1]?.baseUrl })
    await servers[stopsFirst]?.stop()
    expect(readAnnouncement(env)?.baseUrl).toBe(stopsFirst === 0 ? servers[1]?.baseUrl : undefined)
    await servers[1 - stopsFirst]?.stop()
    expect(await readdir(folder)).toEqual([])
  },
)

test('a server serves where it cannot write', async () => {
  const { baseUrl, stop } = await startServer([], { LOCAL_DATABASE_FILE: join(folder, 'absent', 'database.json') })

  expect(await send(baseUrl, { path: '/pets' })).toMatchObject({ status: 401 })
  expect(await stop()).toBe(0)
})

test('without a running server the commands say so, also where one was killed', async () => {
  const before = await runCommand('keys', ['list', '--stage', 'local'], env)
  const { stop } = await startServer([], env)
  await stop('SIGKILL')

  const after = [
    await runCommand('keys', ['list', '--stage', 'local'], env),
    await runCommand('smoke', ['--stage', 'local'], env),
  ]

  expect(readAnnouncement(env)).toBeDefined()
  expect([before, ...after]).toEqual(Array(3).fill(failure(NOT_RUNNING)))
})
