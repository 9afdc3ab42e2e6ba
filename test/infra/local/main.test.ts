import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { CommandError } from '../../../infra/command-line.ts'
import { LOCAL_API_KEY } from '../../../infra/local/database/local-api-key.ts'
import { listeningAddress, reservePorts } from '../../../infra/local/ports.ts'
import { referencePaths } from '../../../infra/platform/gateway.ts'
import { eventOf } from '../../support/events.ts'
import { type Fault, startFaultProxy } from '../../support/fault-proxy.ts'
import { send } from '../../support/http.ts'
import { newPet } from '../../support/pets.ts'
import { failure, runCommand } from '../../support/run-command.ts'
import {
  headersOf,
  type LocalServer,
  listAll,
  startServer,
  startTestServer,
  temporaryFolder,
} from '../../support/server.ts'
import { BASE, POST, wireTo } from '../packages/local-gateway/gateway.ts'

const BODY = JSON.stringify(newPet('Mia'))
const saved = expect.objectContaining(newPet('Mia'))

// Neither the profile nor the empty address, which means all addresses to Node.js, must be used.
const server = await startServer(['--host=', '--empty'], { AWS_PROFILE: 'of-another-account' })
const port = Number(new URL(server.baseUrl).port)
const database = `http://127.0.0.1:${port + 1}`
const banner = server.output()
afterAll(() => server.stop('SIGKILL'))

const create = (server: LocalServer) =>
  send(server.baseUrl, { method: 'POST', path: '/pets', headers: headersOf(server), body: BODY })

test('prints its reference, a command to try it, and its key', () => {
  expect(server.baseUrl).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+${BASE}$`))
  const [tried = ''] = banner.match(/(?<=curl )\S+/) ?? []
  expect(banner).toBe(
    `  Reference     ${server.baseUrl}${referencePaths.page}\n` +
      `  Try it        curl ${tried} -H 'Authorization: Bearer ${LOCAL_API_KEY}'\n` +
      `  API key       ${LOCAL_API_KEY}\n  Database      ${database} (in memory)\n`,
  )
  expect(tried.startsWith(`${server.baseUrl}/`)).toBe(true)
})

test('accepts the key that it prints, and logs one line for each request', async () => {
  const { status, body } = await send(server.baseUrl, { path: '/pets', headers: headersOf(server) })
  await send(server.baseUrl, { path: '/nothing?color=black' })
  await send(server.baseUrl, { method: 'OPTIONS', path: '/pets' })

  expect([status, body]).toEqual([200, []])
  const lines = () => server.output().slice(banner.length).trimEnd().split('\n')
  await expect.poll(lines).toHaveLength(3)
  const time = expect.stringMatching(/^(\d\d:){2}\d\d$/)
  const duration = expect.stringMatching(/^\d+ ms$/)
  const id = expect.stringMatching(/^[\w-]{15}=$/)
  expect(lines().map((line) => line.split(/ {2,}/))).toEqual([
    [time, 'GET', `${BASE}/pets`, '200', duration, id],
    [time, 'GET', `${BASE}/nothing`, '404', duration, 'not_found', id],
    [time, 'OPTIONS', `${BASE}/pets`, '204', duration, id],
  ])
})

test('npm run invoke runs a function on the database of the server at a port, or on an empty one', async () => {
  const event = join(temporaryFolder(), 'createPet-now.json')
  writeFileSync(event, JSON.stringify(eventOf('createPet-created')))

  const running = await runCommand('local/invoke', [event], { PORT: `${port}` })
  // Somebody's server may listen on the default port, so no request gets there.
  const NODE_OPTIONS = '--import=data:text/javascript,globalThis.fetch=()=>Promise.reject()'
  const other = await runCommand('local/invoke', ['listPets', event], { NODE_OPTIONS })

  const log = new RegExp(`^Database: ${database}\n[\\s\\S]+: 'createPet'`)
  expect(running).toMatchObject({ code: 0, stderr: expect.stringMatching(log) })
  expect(await listAll(server)).toEqual([JSON.parse(JSON.parse(running.stdout).body)])
  expect(other.stderr).toMatch(/^No local server .+ This uses an empty database\.\nDatabase: http/)
  expect(JSON.parse(other.stdout)).toMatchObject({ statusCode: 200, body: '[]' })
})

test('npm run invoke lists the events, runs one by its name', async () => {
  const { stdout } = await runCommand('local/invoke', [])
  const named = await runCommand('local/invoke', ['updatePet-changed', '--port', `${port}`])

  expect(stdout).toContain('\ncreatePet-custom-domain\n')
  expect(stdout.split('\n')).toHaveLength(globSync('test/events/*.json').length + 1)
  expect(JSON.parse(named.stdout)).toMatchObject({ statusCode: 404 })
})

test('npm run invoke says in a sentence what is wrong with its arguments', async () => {
  const event = join(temporaryFolder(), 'listPets.json')
  writeFileSync(event, '{"requestContext":{}}')
  const run = (...args: string[]) => runCommand('local/invoke', args)

  const outcomes = [run('listPets'), run(event), run('feedCat', 'listPets-no-parameters')]

  expect((await Promise.all(outcomes)).map(({ stderr }) => stderr)).toEqual([
    expect.stringMatching(/^There is no event listPets .+\n$/),
    expect.stringMatching(/^Cannot .+ is no API Gateway event: .+\n$/),
    expect.stringMatching(/^There is no operation feedCat\. .+: .*createPet.+\n$/),
  ])
})

test('servers with one database share their data, and exit with 0 on SIGINT', async () => {
  // The profile must not prevent the use of a DynamoDB that is not in AWS.
  const last = await startTestServer(['--empty'], {
    AWS_ENDPOINT_URL_DYNAMODB: database,
    AWS_PROFILE: 'of-another-account',
  })
  const created = await create(last)

  expect(last.output()).toContain(`\n  Database      ${database}\n`)
  expect(created.body).toEqual(saved)
  expect(await listAll(server)).toContainEqual(created.body)
  expect(await last.stop('SIGINT')).toBe(0)
})

test('creates the folders of --data, keeps its data when it is killed, and adds examples only to an empty database', async () => {
  const folder = join(temporaryFolder(), 'a', 'data')

  const killed = await startTestServer(['--data', folder])
  const examples = await listAll(killed)
  const created = await create(killed)
  await killed.stop('SIGKILL')
  const again = await startTestServer(['--data', folder])

  expect(await listAll(again)).toEqual([created.body, ...examples])
  expect([killed.output(), again.output()]).toEqual([
    expect.stringContaining(`(${folder}), with ${examples.length || 'no'} `),
    expect.stringContaining(`(${folder}), with no examples: `),
  ])
})

test('listens on all addresses, but with its database on this machine only', async () => {
  const server = await startTestServer(['--host', '0.0.0.0'])
  const { port } = new URL(server.baseUrl)

  // Linux has all addresses of 127.0.0.0/8.
  const { status: served } = await send(`http://127.0.0.2:${port}${BASE}`, { path: '/docs' })
  const closed = send(`http://127.0.0.2:${Number(port) + 1}`, {}).catch(({ code }) => code)

  expect([served, await closed]).toEqual([200, 'ECONNREFUSED'])
  expect(server.output()).toContain(
    '  Warning       Other machines can reach this server, and its API key is public.\n',
  )
})

test('completes the request in flight on SIGTERM, and cuts off one that has not arrived', async () => {
  const proxy = await startFaultProxy(database)
  const server = await startTestServer(['--empty'], { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint })
  const [writes, released] = [Promise.withResolvers<void>(), Promise.withResolvers<Fault>()]
  proxy.faultOf = ({ operation }) => {
    if (operation !== 'TransactWriteItems') return 'pass'
    writes.resolve()
    return released.promise
  }
  const exited = once(server.process, 'exit')
  const headers = { ...headersOf(server), 'Content-Length': BODY.length }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = `${POST}${lines.join('')}\r\n${BODY}`
  const half = await wireTo(server, request.slice(0, -1))
  const busy = await wireTo(server, request)
  await writes.promise

  server.process.kill('SIGTERM')
  const connection = () => wireTo(server).then(({ socket }) => void socket.destroy())
  await expect.poll(() => connection().catch((error) => error.code)).toBe('ECONNREFUSED')
  // More signals may follow: npm sends that of Ctrl-C a second time.
  server.process.kill('SIGTERM')
  server.process.kill('SIGINT')
  expect(await half.rest()).toBe('')
  released.resolve('pass')
  const { status, body } = await busy.response()

  expect([status, body]).toEqual([201, saved])
  expect([await exited, await busy.rest()]).toEqual([[0, null], ''])
})

// Another program, on a port that no system gives to a server by itself.
const other = await reservePorts(0, '127.0.0.1', false)
afterAll(() => void other.api.close())
const otherPort = listeningAddress(other.api).port

const inUse = (port: number, by: string) =>
  `127.0.0.1:${port} is in use by ${by}. Run npm start -- --port 0, which selects free ports: ` +
  'one for the API, and the next for its database.'

test.each([
  [port, '127.0.0.1', inUse(port, 'another local server')],
  [port - 1, '127.0.0.2', inUse(port, 'another local server')], // By the database.
  [port + 1, '127.0.0.1', inUse(port + 1, 'a local database')],
  [otherPort, '127.0.0.1', inUse(otherPort, 'another program')],
  // An address for documentation (RFC 5737), which needs no network to be refused.
  [
    0,
    '192.0.2.1',
    'Cannot listen: listen EADDRNOTAVAIL: address not available 192.0.2.1. Choose another --host or --port.',
  ],
])('refuses port %s of %s', async (port, host, reason) => {
  await expect(reservePorts(port, host, true)).rejects.toEqual(new CommandError(reason))
})

test('port 0 selects another port if the next one is in use', async () => {
  const { listen } = Server.prototype
  const listened = vi.spyOn(Server.prototype, 'listen')
  onTestFinished(() => void vi.restoreAllMocks())
  listened.mockImplementation(function (this: Server, ...args: unknown[]) {
    // The first database is sent to a port that another program has.
    const sent = listened.mock.calls.length === 2 ? [otherPort, '127.0.0.1'] : args
    return Reflect.apply(listen, this, sent)
  })

  const { api, database } = await reservePorts(0, '127.0.0.1', true)
  const ports = [api, database].map((server) => server && listeningAddress(server).port)
  for (const server of [api, database]) server?.close()

  expect(ports).toEqual([expect.any(Number), Number(ports[0]) + 1])
  expect(listened.mock.calls.length).toBeGreaterThan(2)
})

const LIMITS = "value '65535' from env 'PORT' is invalid. Use a whole number from 0 to 65534."

test.each<[string, string[], Record<string, string>]>([
  [`option '--port <number>' ${LIMITS}`, [], { PORT: '65535' }],
  [
    'npm kept --port for itself. Put -- before all options: npm start -- --port',
    [],
    { npm_config_port: 'true' },
  ],
  [
    'npm kept --no-watch for itself. Put -- before all options: npm start -- --no-watch',
    [],
    { npm_config_watch: '' },
  ],
])('refuses what cannot be meant: %s', async (message, args, env) => {
  const line = `error: ${message}\nSee npm start -- --help`
  expect(await runCommand('local/main', args, env)).toEqual(failure(line))
})

const olderNode = [
  '--import=data:text/javascript,Object.defineProperty(process,"version",{value:"v22.9.0"})',
]
const TOO_OLD =
  'Node.js v22.9.0 is too old: run npm ci with install scripts allowed, which adds Node.js 24, or use Node.js 24.\n'

const INSTALLED = ['.package-lock.json', 'valibot', 'vitest']
const MISSING = 'The packages are missing. Use npm, not pnpm or yarn: run npm ci.\n'
const NO_TOOLS = 'The packages for development are missing: run npm ci --include=dev.\n'

test.each([
  ['without packages', [], 'checkout', [], 1, MISSING],
  ['with the packages of another tool', [], 'checkout', ['valibot', 'vitest'], 1, MISSING],
  ['after NODE_ENV=production npm ci', [], 'checkout', INSTALLED.slice(0, 2), 1, NO_TOOLS],
  ['on an older Node.js', olderNode, 'checkout', INSTALLED, 1, TOO_OLD],
  ["among npm's workspaces", [], '.', INSTALLED, 0, ''],
])('a start %s prints what to do', (_, options, folder, packages, status, stderr) => {
  const root = temporaryFolder()
  const file = join(root, 'checkout/infra/commands/installed.mjs')
  cpSync('infra/commands/installed.mjs', file)
  for (const name of packages)
    mkdirSync(join(root, folder, 'node_modules', name), { recursive: true })

  const ran = spawnSync(process.execPath, [...options, file], { encoding: 'utf8' })

  expect(ran).toMatchObject({ status, stderr })
})
