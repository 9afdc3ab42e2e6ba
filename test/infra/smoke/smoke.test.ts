import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { findDeployment } from '../../../infra/deployment.ts'
import { KeyTable } from '../../../infra/keys/key-table.ts'
import { type Received, type Sent, sendTo, smokeTest } from '../../../infra/smoke/main.ts'
import { contract, operationIds } from '../../../shared/contract.ts'
import { isApiKey, newApiKey } from '../../../shared/model/api-key.ts'
import { stringifyJson } from '../../../shared/model/json.ts'
import { serve } from '../../support/fake-api.ts'
import { send } from '../../support/http.ts'
import { runCommand, startCommand } from '../../support/run-command.ts'
import { exampleCredentials } from '../../support/secrets.ts'
import { startServer } from '../../support/server.ts'

// The commands find the server of this file by this environment.
const env = {
  LOCAL_SERVERS: mkdtempSync(join(tmpdir(), 'smoke-')),
  ...exampleCredentials,
  // A developer may need these in AWS; a local database has no such endpoints.
  AWS_USE_FIPS_ENDPOINT: 'true',
  AWS_USE_DUALSTACK_ENDPOINT: 'true',
}
vi.stubEnv('LOCAL_SERVERS', env.LOCAL_SERVERS)
const server = await startServer([], env)
const table = new KeyTable(await findDeployment({ stage: 'local' }))
afterAll(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  return server.stop()
})

const storedPets = async () => {
  const headers = { Authorization: `Bearer ${server.apiKey}` }
  return (await send(server.baseUrl, { path: '/pets', headers })).body
}

/** Replaces what differs from run to run. */
const same = (line: string): string =>
  line
    .replaceAll(/(?<=pets\/)\d{13,}/g, '<id>')
    .replace(/"Smoke test.+?"/, '"<name>"')
    .replace(/key_\w+/, '<key>')

test('passes on a working API, and leaves neither a pet nor a key', async () => {
  const before = [await table.all(), await storedPets()]

  const { code, stdout, stderr } = await runCommand('smoke', ['--stage', 'local'], env)

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = Object.groupBy(stdout.trimEnd().split('\n').map(same), (line) => `${/ without a key: 401$/.test(line)}`)
  expect(lines.true).toHaveLength(operationIds.length)
  expect(lines.false).toEqual([
    `Testing ${server.baseUrl} with the key <key>`,
    '✓ GET /pets?limit=1: 200',
    '✓ POST /pets with "<name>": 201',
    '✓ POST /pets again, with the same Idempotency-Key: 201',
    '✓ GET /pets?status=sold&limit=100 for the new pet: 200',
    '✓ PATCH /pets/<id>: 200',
    '✓ PATCH /pets/<id> with the ETag of the creation: 412',
    '✓ DELETE /pets/<id>: 204',
    '✓ PATCH /pets/<id> after that: 404',
    '✓ GET /pets?limit=1 with an unknown key: 401',
    '✓ POST /pets with an invalid body: 400',
    '✓ GET /smoke-test: 404',
    '✓ GET /pets/1/smoke-test: 404',
    '✓ PUT /pets: 405',
    'The key <key> is revoked.',
  ])
  expect([await table.all(), await storedPets()]).toEqual(before)
})

test('fails, follows no redirect, and still revokes its key', async () => {
  const before = await table.all()
  const { baseUrl, requests } = await serve({ status: 302, headers: { Location: '/v2' }, body: '{}' })

  const args = ['--stage', 'local', '--base-url', `${baseUrl}/`, '--wait', '1s']
  const { code, stdout, stderr } = await runCommand('smoke', args, env)

  expect({ code, stderr }).toEqual({ code: 1, stderr: 'The smoke test failed.\n' })
  expect(stdout).toContain('\n✗ GET /pets?limit=1: expected 200, got 302: {} (')
  expect(stdout).toMatch(/\nThe key key_\w+ is revoked\.\n$/)
  expect(requests.length).toBeGreaterThan(1)
  const [key = '', ...others] = new Set(requests.map(({ headers }) => headers.authorization?.slice('Bearer '.length)))
  expect([isApiKey(key, 'local'), others]).toEqual([true, []])
  expect(await table.all()).toEqual(before)
})

test('revokes its key when signals stop it', async () => {
  const before = await table.all()
  const { baseUrl, requests } = await serve('silence')
  const { child, exited } = startCommand('smoke', ['--stage', 'local', '--base-url', baseUrl], env)
  await vi.waitUntil(() => requests.length > 0, { timeout: 30_000 })
  expect((await table.all()).keys).toHaveLength(before.keys.length + 1)

  // Each signal alone would end a process that does not handle it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) child.kill(signal)

  const { code, stdout, stderr } = await exited
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'Stopped.\n' })
  expect(stdout).toMatch(/\nThe key key_\w+ is revoked\.\n$/)
  expect(await table.all()).toEqual(before)
})

test('leaves neither a pet nor a key when its output is closed', async () => {
  const before = [await table.all(), await storedPets()]
  const { child, exited } = startCommand('smoke', ['--stage', 'local'], env)

  child.stdout.destroy()

  const { code, stderr } = await exited
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'Cannot print: write EPIPE.\n' })
  expect([await table.all(), await storedPets()]).toEqual(before)
})

type Alteration = (received: Received, sent: Sent) => Partial<Received>

const printed = vi.spyOn(console, 'info').mockImplementation(() => {})
afterEach(() => printed.mockClear())

/** Tests the local server, and alters its responses. Returns the error of the test, and the lines that it printed. */
const runAltered = async (alter: Alteration, { waitSeconds = 0, stop = new AbortController() } = {}) => {
  const send: typeof sendToServer = async (sent, stopped) => {
    const received = await sendToServer(sent, stopped)
    return { ...received, ...alter(received, sent) }
  }
  const keys = { key: server.apiKey, unknownKey: newApiKey('local') }
  const error = await smokeTest({ send, ...keys, waitSeconds, stopped: stop.signal }).catch(({ message }) => message)
  return { error, lines: printed.mock.calls.map(([line]) => same(String(line))) }
}
const sendToServer = sendTo(server.baseUrl)

type Matches = (received: Received, sent: Sent) => boolean

const isList: Matches = (_, { path }) => path.includes('status=sold')
const isReplay: Matches = ({ headers }) => headers.has('Idempotent-Replayed')
const hasStatus = (status: number) => (received: Received) => received.status === status
const changes: Matches = ({ status }, { method }) => method === 'PATCH' && status === 200

const without = (name: string) => (received: Received) => ({
  headers: new Headers([...received.headers].filter(([each]) => each !== name.toLowerCase())),
})
const withField = (field: object) => (received: Received) => ({ body: { ...Object(received.body), ...field } })

test('waits for a new deployment and a list that is late, and accepts the AWS name of WWW-Authenticate', async () => {
  let late = 2

  const { error } = await runAltered(
    (received, sent) => {
      if (sent.path === '/pets?limit=1' && late === 2) return { status: 403, body: late-- }
      if (isList(received, sent) && late === 1) return { body: [late--] }
      const challenge = received.headers.get('WWW-Authenticate')
      return challenge ? { headers: new Headers({ 'x-amzn-Remapped-WWW-Authenticate': challenge }) } : {}
    },
    { waitSeconds: 30 },
  )

  expect({ error, late }).toEqual({ error: undefined, late: 0 })
})

const [first] = Object.values(contract)
const FIRST_WITHOUT_KEY = `${first?.method} ${first?.path.replaceAll(/{\w+}/g, '1')} without a key`
const LIST = 'GET /pets?status=sold&limit=100 for the new pet'
const REPLAY = 'POST /pets again, with the same Idempotency-Key'
const rounded = ({ body }: Received) => ({ body: JSON.parse(stringifyJson(body)) })

test.each<[string, string, Matches, (received: Received) => Partial<Received>]>([
  ['rounds an int64', LIST, isList, rounded],
  ['does not list the pet', LIST, isList, () => ({ body: [] })],
  ['does not return its address', REPLAY, isReplay, without('Location')],
  ['creates a pet twice', REPLAY, isReplay, withField({ id: 1 })],
  ['does not mark a replay', REPLAY, isReplay, without('Idempotent-Replayed')],
  ['does not change the pet', 'PATCH /pets/<id>', changes, withField({ name: 'a' })],
  ['ignores If-Match', 'PATCH /pets/<id> with the ETag of the creation', hasStatus(412), () => ({ status: 200 })],
  ['does not delete', 'DELETE /pets/<id>', hasStatus(204), () => ({ status: 500 })],
  ['adds a field to an error', 'POST /pets with an invalid body', hasStatus(400), withField({ requestId: 'r' })],
  ['has an empty error message', 'PUT /pets', hasStatus(405), withField({ message: '' })],
  ['does not name the allowed methods', 'PUT /pets', hasStatus(405), without('Allow')],
  ['needs no key', FIRST_WITHOUT_KEY, hasStatus(401), () => ({ status: 200 })],
])('reports an API that %s: %s', async (_, what, matches, change) => {
  const before = await storedPets()

  const { error, lines } = await runAltered((received, sent) => (matches(received, sent) ? change(received) : {}))

  expect(error).toBe('The smoke test failed.')
  const failed = lines.filter((line) => line.startsWith('✗'))
  expect(failed).toEqual([expect.stringContaining(`✗ ${what}: `)])
  expect(await storedPets()).toEqual(before)
})

test('deletes no other pet if the response to the creation names one', async () => {
  const { lines } = await runAltered(({ status }) => (status === 201 ? { body: { id: 1 } } : {}))

  expect(lines.at(-1)).toContain('✗ POST /pets with "<name>": expected 201, got 201: {"id":1} (')
})

test('deletes the pet when a signal stops it', async () => {
  const before = await storedPets()
  const stop = new AbortController()
  const stopAtCreation: Alteration = ({ status }) => {
    if (status === 201) stop.abort(new Error('Stopped.'))
    return {}
  }

  const { error, lines } = await runAltered(stopAtCreation, { stop })

  expect(error).toBe('Stopped.')
  expect(lines).toEqual(['✓ GET /pets?limit=1: 200', '✓ POST /pets with "<name>": 201', '✓ DELETE /pets/<id>: 204'])
  expect(await storedPets()).toEqual(before)
})
