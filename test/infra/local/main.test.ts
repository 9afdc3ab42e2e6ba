import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { getExamples } from 'valibot'
import { afterAll, expect, test } from 'vitest'
import { readAnnouncements } from '../../../infra/local/announcement.ts'
import { LOCAL_API_KEY } from '../../../infra/local/credentials.ts'
import { Pet as PetSchema } from '../../../shared/pets/pet.ts'
import { send } from '../../support/http.ts'
import { failure, runCommand } from '../../support/run-command.ts'
import { headersOf, leastEnvironment, listAll, start, startServer, temporaryFolder } from '../../support/server.ts'
import { wireTo } from './local-server.ts'

const announcements = { LOCAL_SERVERS: mkdtempSync(join(tmpdir(), 'pet-store-servers-')) }
// Neither the profile nor the empty address, which means all addresses to Node.js, must be used.
const server = await startServer(['--host='], { ...announcements, AWS_PROFILE: 'of-another-account' })
const banner = server.output()
afterAll(() => server.stop('SIGKILL'))

test('prints its address, its key and a command to try it', () => {
  expect(server.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/)
  expect(banner).toMatch(
    new RegExp(
      `^  Base address  ${server.baseUrl}\\n  API key       ${LOCAL_API_KEY}\\n` +
        `  Database      http://127\\.0\\.0\\.1:\\d+ \\(in memory\\)\\n` +
        `  Reference     ${server.baseUrl}/docs\\n` +
        `  Try it        curl ${server.baseUrl}/pets -H 'Authorization: Bearer ${LOCAL_API_KEY}'\\n$`,
    ),
  )
})

test('accepts the key that it prints, and logs one line for each request', async () => {
  const headers = { Authorization: `Bearer ${LOCAL_API_KEY}` }
  const { status, body } = await send(server.baseUrl, { path: '/pets', headers })
  await send(server.baseUrl, { path: '/cats?color=black' })
  await send(server.baseUrl, { method: 'OPTIONS', path: '/pets' })

  expect([status, body]).toEqual([200, []])
  const lines = () => server.output().slice(banner.length).trimEnd().split('\n')
  await expect.poll(lines).toHaveLength(3)
  const time = expect.stringMatching(/^(\d\d:){2}\d\d$/)
  const duration = expect.stringMatching(/^\d+ ms$/)
  const id = expect.stringMatching(/^[\w-]{15}=$/)
  expect(lines().map((line) => line.split(/ {2,}/))).toEqual([
    [time, 'GET', '/v1/pets', '200', duration, id],
    [time, 'GET', '/v1/cats', '404', duration, 'not_found', id],
    [time, 'OPTIONS', '/v1/pets', '204', duration, id],
  ])
})

test('listens on all addresses, and prints one that works, although it cannot write its announcement, and exits with 0 on SIGINT', async () => {
  const env = { LOCAL_SERVERS: join(temporaryFolder(), 'no') }
  const { baseUrl, stop, output } = await start(['--host', '0.0.0.0'], env)

  const { status } = await send(baseUrl, { path: '/openapi.json' })

  expect([baseUrl, status]).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/), 200])
  expect(output()).toContain('\n  Warning       Other machines can reach this server, and its API key is public.\n')
  expect(await stop('SIGINT')).toBe(0)
  expect(output()).toContain('The keys and smoke commands will not find this server: ENOENT')
  expect(output()).not.toContain('Error')
})

const BODY = '{"name":"Mia","categoryId":1}'
const mia = { id: expect.any(Number), name: 'Mia', categoryId: 1 }

test('npm run invoke runs a function on the database of the running server, or on an empty one', async () => {
  const invoke = async (env: Record<string, string>, ...args: string[]) => {
    const options = { env: { ...leastEnvironment, ...env } }
    return promisify(execFile)(process.execPath, ['infra/local/invoke.ts', ...args], options).catch((error) => error)
  }
  const created = ['createPet', 'test/events/createPet-created.json']

  const alone = await invoke({ LOCAL_SERVERS: temporaryFolder() }, ...created)
  const running = await invoke(announcements, ...created)

  for (const { stdout } of [alone, running]) expect(JSON.parse(stdout)).toMatchObject({ statusCode: 201 })
  expect(running.stderr).toMatch(/^Database: http[\s\S]+operation: 'createPet'/)
  expect(await listAll(server)).toEqual([JSON.parse(JSON.parse(running.stdout).body)])
  expect(await invoke(announcements, 'createPet', 'no.json')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Cannot read an event: ENOENT.+\n$/),
  })
  expect(await invoke(announcements, 'createCat')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Usage: .+ Operations: .*createPet.*\n$/),
  })
})

test('servers with one database share their pets, and all are announced until they stop', async () => {
  const [, endpoint = ''] = /Database +(\S+)/.exec(banner) ?? []
  const announced = { endpoint, baseUrl: server.baseUrl, apiKeysTable: 'PetStoreLocal-ApiKeys' }
  expect(readAnnouncements(announcements)).toEqual([announced])

  // The profile must not prevent the use of a DynamoDB that is not in AWS.
  const env = { ...announcements, AWS_ENDPOINT_URL_DYNAMODB: endpoint, AWS_PROFILE: 'of-another-account' }
  const last = await start([], env)
  const created = await send(last.baseUrl, { method: 'POST', path: '/pets', headers: headersOf(last), body: BODY })
  expect(last.output()).toContain(`\n  Database      ${endpoint}\n`)
  expect(created.body).toEqual(mia)
  expect(await listAll(server)).toContainEqual(created.body)
  expect(readAnnouncements(announcements)).toEqual([{ ...announced, baseUrl: last.baseUrl }, announced])

  expect(await last.stop()).toBe(0)
  expect(readAnnouncements(announcements)).toEqual([announced])
})

test('creates the folder of --data, keeps its pets when it is killed, and adds pets with --seed to an empty store only', async () => {
  const folder = join(temporaryFolder(), 'pets')

  const killed = await start(['--seed', '--data', folder])
  const pets = await listAll(killed)
  const request = { method: 'POST', path: '/pets', headers: headersOf(killed), body: BODY }
  const created = await send(killed.baseUrl, request)
  await killed.stop('SIGKILL')
  const again = await start(['--seed', '--data', folder])

  expect(pets).toHaveLength(51)
  expect(pets.slice(-2)).toEqual([{ id: expect.any(Number), name: 'Rex', categoryId: 1, status: 'available' }, example])
  expect(new Set(pets.map(({ status }) => status))).toEqual(new Set(['available', 'pending', 'sold']))
  expect(await listAll(again)).toEqual([created.body, ...pets])
  expect([killed.output(), again.output()]).toEqual([
    expect.stringContaining(`(${folder}), with 51 new pets\n`),
    expect.stringContaining(`(${folder}), with 0 new pets\n`),
  ])
})

const [example] = getExamples(PetSchema)

test('completes the request in flight and exits with 0 on SIGTERM, also if more signals follow', async () => {
  const server = await start()
  const exited = once(server.process, 'exit')
  const head =
    `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.apiKey}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n`
  const busy = await wireTo(server, `${head}Expect: 100-continue\r\n\r\n`)
  await busy.take(/^HTTP\/1\.1 100 Continue\r\n\r\n/)

  server.process.kill('SIGTERM')
  const isRefused = () =>
    wireTo(server).then(
      ({ socket }) => void socket.destroy(),
      () => true,
    )
  await expect.poll(isRefused).toBe(true)
  server.process.kill('SIGTERM')
  server.process.kill('SIGINT')
  busy.socket.write(BODY)
  const { status, body } = await busy.response()

  expect([status, body]).toEqual([201, mia])
  expect([await exited, await busy.rest()]).toEqual([[0, null], ''])
})

test('prints its help, or one line that says what is wrong', async () => {
  const { port } = new URL(server.baseUrl)

  const outcomes = await Promise.all([
    runCommand('local', ['--help']),
    runCommand('local', [], { PORT: port }),
    runCommand('local', ['--data', 'pets'], { AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost:8000' }),
  ])

  const help = /^Usage: npm start -- [\s\S]+--port[\s\S]+PORT[\s\S]+--data[\s\S]+AWS_ENDPOINT_URL_DYNAMODB/
  expect(outcomes).toEqual([
    { code: 0, stdout: expect.stringMatching(help), stderr: '' },
    failure(
      `Cannot listen: listen EADDRINUSE: address already in use 127.0.0.1:${port}. ` +
        'Choose another --host or --port; port 0 selects a free port.',
    ),
    failure('--data requires the embedded database, but AWS_ENDPOINT_URL_DYNAMODB selects another one.'),
  ])
})

const olderNode = ['--import', 'data:text/javascript,Object.defineProperty(process,"version",{value:"v22.9.0"})']
const TOO_OLD =
  'Node.js v22.9.0 is too old: run npm ci with install scripts allowed, which adds Node.js 24, or use Node.js 24.\n'

test.each([
  ['without packages', [], [], 'The packages are missing: run npm ci.\n'],
  ['on an older Node.js', olderNode, ['node_modules'], TOO_OLD],
])('a start %s prints %j', (_, options, folders, message) => {
  const copy = temporaryFolder()
  cpSync('infra/installed.mjs', join(copy, 'infra/installed.mjs'))
  for (const folder of folders) cpSync('package.json', join(copy, folder, '.package-lock.json'))

  const { status, stderr } = spawnSync(process.execPath, [...options, join(copy, 'infra/installed.mjs')])

  expect([status, String(stderr)]).toEqual([1, message])
})

test.each<[string[], Record<string, string>, string]>([
  [['--port='], {}, "option '--port <number>' argument '' is invalid. Use a whole number from 0 to 65535."],
  [[], { npm_config_seed: 'true' }, 'npm kept --seed for itself. Put -- before it: npm start -- --seed'],
])('refuses %j with %j', async (args, env, message) => {
  expect(await runCommand('local', args, env)).toEqual(failure(`error: ${message}\nSee npm start -- --help`))
})
