import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { CommandError } from '../../../infra/command-line.ts'
import { reservePorts } from '../../../infra/local/ports.ts'
import { eventOf } from '../../support/events.ts'
import { type Fault, startFaultProxy } from '../../support/fault-proxy.ts'
import { send } from '../../support/http.ts'
import { newPet } from '../../support/pets.ts'
import { runCommand } from '../../support/run-command.ts'
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

// Neither the profile nor the empty address, which means all addresses to Node.js, must be used.
const server = await startServer(['--host=', '--empty'], { AWS_PROFILE: 'of-another-account' })
const port = Number(new URL(server.baseUrl).port)
const database = `http://127.0.0.1:${port + 1}`
const banner = server.output()
afterAll(() => server.stop('SIGKILL'))

const create = (server: LocalServer) =>
  send(server.baseUrl, { method: 'POST', path: '/pets', headers: headersOf(server), body: BODY })

test('is on this machine alone, accepts the key that it prints, and logs one line for each request', async () => {
  const { status, body } = await send(server.baseUrl, { path: '/pets', headers: headersOf(server) })
  await send(server.baseUrl, { path: '/nothing?color=black' })

  expect(server.baseUrl).toBe(`http://127.0.0.1:${port}${BASE}`)
  expect([status, body]).toEqual([200, []])
  const lines = () => server.output().slice(banner.length).trimEnd().split('\n')
  await expect.poll(lines).toHaveLength(2)
  const time = expect.stringMatching(/^(\d\d:){2}\d\d$/)
  const duration = expect.stringMatching(/^\d+ ms$/)
  const id = expect.stringMatching(/^[\w-]{15}=$/)
  expect(lines().map((line) => line.split(/ {2,}/))).toEqual([
    [time, 'GET', `${BASE}/pets`, '200', duration, id],
    [time, 'GET', `${BASE}/nothing`, '404', duration, id],
  ])
})

test('npm run invoke runs the function of an event on the database of the server', async () => {
  const file = join(temporaryFolder(), 'mine.json')
  writeFileSync(file, JSON.stringify(eventOf('createPet-created')))

  // In the folder of the user.
  const env = { PORT: `${port}`, INIT_CWD: dirname(file) }
  const running = await runCommand('local/invoke', [basename(file)], env)

  const log = new RegExp(`^Database: ${database}\n[\\s\\S]+: 'createPet'`)
  expect(running).toMatchObject({ code: 0, stderr: expect.stringMatching(log) })
  expect(await listAll(server)).toEqual([JSON.parse(JSON.parse(running.stdout).body)])
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
    expect.stringContaining(`(${folder}), with ${examples.length} pets`),
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
  // The profile must not prevent the use of a DynamoDB that is not in AWS.
  const env = { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint, AWS_PROFILE: 'of-another-account' }
  const server = await startTestServer(['--empty'], env)
  const [writes, released] = [Promise.withResolvers<void>(), Promise.withResolvers<Fault>()]
  proxy.faultOf = ({ operation }) => {
    if (operation !== 'TransactWriteItems') return 'pass'
    writes.resolve()
    return released.promise
  }
  const exited = once(server.process, 'exit')
  const half = await wireTo(server, `${POST}Content-Length: 20\r\n\r\n{`)
  const created = create(server)
  await writes.promise

  server.process.kill('SIGTERM')
  const refused = () => send(server.baseUrl, { path: '/docs' }).catch(({ code }) => code)
  await expect.poll(refused).toBe('ECONNREFUSED')
  // More signals may follow: npm sends that of Ctrl-C a second time.
  server.process.kill('SIGTERM')
  server.process.kill('SIGINT')
  expect(await half.rest()).toBe('')
  released.resolve('pass')

  // On a busy machine, the time limit of the database may be over: 503.
  expect([201, 503]).toContain((await created).status)
  expect(server.output()).toContain(`\n  Database      ${proxy.endpoint}\n`)
  expect(await exited).toEqual([0, null])
  expect(server.output()).not.toContain('A function has failed')
})

const inUse = (port: number) =>
  new CommandError(
    `127.0.0.1:${port} is in use, perhaps by another local server. Run npm start -- --port 0, ` +
      'which selects free ports: one for the API, and the next for its database.',
  )
const notOurs = 'listen EADDRNOTAVAIL: address not available 192.0.2.1'

test.each([
  [port, '127.0.0.1', inUse(port)],
  [port - 1, '127.0.0.2', inUse(port)], // The next one.
  // An address for documentation (RFC 5737), which needs no network to be refused.
  [0, '192.0.2.1', expect.objectContaining({ message: notOurs })],
])('refuses port %s of %s', async (port, host, error) => {
  await expect(reservePorts(port, host)).rejects.toEqual(error)
})
