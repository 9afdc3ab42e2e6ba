import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readAnnouncement } from '../../../infra/local/announcement.ts'
import { send } from '../../support/http.ts'
import { failure, runCommand } from '../keys/run-command.ts'
import { start, temporaryFolder } from './command.ts'

test('a server announces itself and its database until it stops; the one that started last wins', async () => {
  const folder = temporaryFolder()
  const env = { LOCAL_DATABASE_FILE: join(folder, 'database.json') }

  const first = await start([], env)
  const [, endpoint = ''] = /Database +(\S+)/.exec(first.output()) ?? []
  expect(readAnnouncement(env)).toEqual({ endpoint, baseUrl: first.baseUrl, apiKeysTable: 'PetStoreLocal-ApiKeys' })

  const onSameDatabase = await start([], { ...env, AWS_ENDPOINT_URL_DYNAMODB: endpoint })
  expect(readAnnouncement(env)).toMatchObject({ endpoint, baseUrl: onSameDatabase.baseUrl })
  expect(await onSameDatabase.stop()).toBe(0)
  expect(readdirSync(folder)).toEqual([])

  const last = await start([], env)
  expect(await first.stop()).toBe(0)
  expect(readAnnouncement(env)).toMatchObject({ baseUrl: last.baseUrl })
  expect(await last.stop()).toBe(0)
  expect(readdirSync(folder)).toEqual([])
})

test('the keys and smoke commands report that no server is running, even if one was killed', async () => {
  const env = { LOCAL_DATABASE_FILE: join(temporaryFolder(), 'database.json') }

  const before = await runCommand('keys', ['list', '--stage', 'local'], env)
  const { stop } = await start([], env)
  await stop('SIGKILL')
  const after = await runCommand('smoke', ['--stage', 'local'], env)

  const message = 'The local server is not running, or its database is unavailable. Start it with npm start.'
  expect(readAnnouncement(env)).toBeDefined()
  expect([before, after]).toEqual([failure(message), failure(message)])
})

test('a server runs although it cannot write its announcement', async () => {
  const { baseUrl, output, stop } = await start([], { LOCAL_DATABASE_FILE: join(temporaryFolder(), 'no', 'file.json') })

  expect(await send(baseUrl, { path: '/pets' })).toMatchObject({ status: 401 })
  expect(output()).toContain('The keys and smoke commands will not find this server: ENOENT')
  expect(await stop()).toBe(0)
})
