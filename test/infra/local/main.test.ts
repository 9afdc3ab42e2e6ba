import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { getExamples } from 'valibot'
import { afterAll, expect, test } from 'vitest'
import { LOCAL_API_KEY } from '../../../infra/local/credentials.ts'
import { Pet as PetSchema } from '../../../shared/pets/pet.ts'
import { send } from '../../support/http.ts'
import { failure, runCommand } from '../../support/run-command.ts'
import { headersOf, listAll, start, startServer, temporaryFolder } from '../../support/server.ts'
import { wireTo } from './local-server.ts'

// Neither the profile nor the empty address, which means all addresses to Node.js, must be used.
const server = await startServer(['--host='], { AWS_PROFILE: 'of-another-account' })
const { port } = new URL(server.baseUrl)
const database = `http://127.0.0.1:${Number(port) + 1}`
const banner = server.output()
afterAll(() => server.stop('SIGKILL'))

test('prints its address, its key and a command to try it', () => {
  expect(server.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/)
  expect(banner).toMatch(
    new RegExp(
      `^  Base address  ${server.baseUrl}\\n  API key       ${LOCAL_API_KEY}\\n` +
        `  Database      ${database} \\(in memory\\)\\n` +
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

test('listens on all addresses, but with its database on this machine only, prints an address that works, and exits with 0 on SIGINT', async () => {
  const { baseUrl, stop, output } = await start(['--host', '0.0.0.0'])
  const { port } = new URL(baseUrl)
  const others = Object.values(networkInterfaces()).flatMap((all = []) => all.filter(({ internal }) => !internal))

  for (const { address, family } of others.filter(({ family }) => family === 'IPv4')) {
    expect((await send(`http://${address}:${port}/v1`, { path: '/openapi.json' })).status, family).toBe(200)
    await expect(send(`http://${address}:${Number(port) + 1}`, {})).rejects.toThrow('ECONNREFUSED')
  }
  const { status } = await send(baseUrl, { path: '/openapi.json' })

  expect([baseUrl, status]).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/), 200])
  expect(output()).toContain('\n  Warning       Other machines can reach this server, and its API key is public.\n')
  expect(await stop('SIGINT')).toBe(0)
})

const BODY = '{"name":"Mia","categoryId":1}'
const mia = { id: expect.any(Number), name: 'Mia', categoryId: 1 }

test('npm run invoke runs a function on the database of the server at a port, or on an empty one', async () => {
  const create = ['createPet', 'test/events/createPet-created.json', '--port', port]

  const running = await runCommand('local/invoke', create)
  // Perhaps somebody's server, so nothing is changed.
  const other = await runCommand('local/invoke', ['listPets', 'test/events/listPets-no-parameters.json'])

  expect(running).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Database: http.+\n[\s\S]+: 'createPet'/) })
  expect(await listAll(server)).toEqual([JSON.parse(JSON.parse(running.stdout).body)])
  expect(JSON.parse(other.stdout)).toMatchObject({ statusCode: 200 })
})

test('npm run invoke says what is wrong, and prints its help', async () => {
  const example = 'Example: npm run invoke -- createPet test/events/createPet-created.json\n'
  const argumentsOf = [
    [],
    ['createPet', 'no.json'],
    ['createPet', 'package.json'],
    ['createCat', 'no.json'],
    ['--help'],
  ]

  const outcomes = await Promise.all(argumentsOf.map((args) => runCommand('local/invoke', args)))

  const matching = [
    new RegExp(`^error: missing required argument 'operation'\n${example}$`),
    /^Cannot read an event: ENOENT.+\n$/,
    /^Cannot read an event: package\.json is no API Gateway event: it has no requestContext\.\n$/,
    new RegExp(`^error: .*'createCat'.+ createPet, .+\n${example}$`),
  ]
  expect(outcomes).toEqual([
    ...matching.map((stderr) => ({ code: 1, stdout: '', stderr: expect.stringMatching(stderr) })),
    { code: 0, stdout: expect.stringMatching(/^Usage: npm run invoke -- [\s\S]+ test\/events\//), stderr: '' },
  ])
})

test('servers with one database share their pets', async () => {
  // The profile must not prevent the use of a DynamoDB that is not in AWS.
  const last = await start([], { AWS_ENDPOINT_URL_DYNAMODB: database, AWS_PROFILE: 'of-another-account' })
  const created = await send(last.baseUrl, { method: 'POST', path: '/pets', headers: headersOf(last), body: BODY })

  expect(last.output()).toContain(`\n  Database      ${database}\n`)
  expect(created.body).toEqual(mia)
  expect(await listAll(server)).toContainEqual(created.body)
  expect(await last.stop()).toBe(0)
})

test('a dozen servers that start at once find two free ports each', async () => {
  const servers = await Promise.all(Array.from({ length: 12 }, () => start()))

  for (const { baseUrl, output } of servers)
    expect(output()).toContain(`\n  Database      http://127.0.0.1:${Number(new URL(baseUrl).port) + 1} `)
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
    expect.stringContaining(`(${folder}), with 51 new pets and 21 orders\n`),
    expect.stringContaining(`(${folder}), with no new pets\n`),
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

const CHOOSE = 'Choose another --host or --port; port 0 selects free ports.'
const IN_USE = `is in use, perhaps by another local server: it takes two ports, the second for its database. ${CHOOSE}`
const BELOW = String(Number(port) - 1)
const NAMED = { AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost:8000' }
const NOT_EMBEDDED = '--data needs the embedded database, but AWS_ENDPOINT_URL_DYNAMODB names another one.'
const NO_PORT = "option '--port <number>' argument '' is invalid. Use a whole number from 0 to 65534."
const KEPT = 'npm kept --port and --seed for itself. Put -- before all options: npm run dev -- --port --seed'

test.each<[string[], Record<string, string>, string]>([
  [[], { PORT: port }, `127.0.0.1:${port} ${IN_USE}`],
  [['--host', '999.1'], {}, `Cannot listen: getaddrinfo ENOTFOUND 999.1. ${CHOOSE}`],
  [['--port=0', '--data=README.md'], {}, 'Cannot use README.md as the data folder: it is a file. Choose a folder.'],
  [['--port=0', '--data=pets'], NAMED, NOT_EMBEDDED],
  [['--port='], {}, `error: ${NO_PORT}\nSee npm start -- --help`],
  [['--watch'], { npm_config_seed: 'true', npm_config_port: 'true' }, `error: ${KEPT}\nSee npm run dev -- --help`],
])('refuses %j with %j', async (args, env, message) => {
  expect(await runCommand('local/main', args, env)).toEqual(failure(message))
})

test('refuses a port whose next one is in use', async () => {
  const { stderr, ...result } = await runCommand('local/main', ['--port', BELOW])

  expect(result).toMatchObject({ code: 1, stdout: '' })
  // Meanwhile the port itself may belong to another test.
  expect(stderr.replace(BELOW, port)).toBe(`127.0.0.1:${port} ${IN_USE}\n`)
})

test('prints its help', async () => {
  const { code, stdout } = await runCommand('local/main', ['--help'])

  const help = /^Usage: npm start -- [\s\S]+--port[\s\S]+PORT[\s\S]+--data[\s\S]+AWS_ENDPOINT_URL_DYNAMODB/
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(help) })
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

test('each npm script checks this first', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))

  const others = Object.values<string>(scripts).filter((script) => !/\binfra\/installed\.mjs\b/.test(script))
  expect(others).toEqual([scripts.check])
  expect(others).toEqual([expect.stringMatching(/^npm run types /)])
})
