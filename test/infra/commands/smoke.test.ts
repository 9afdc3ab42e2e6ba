import { afterAll, expect, test, vi } from 'vitest'
import { ApiKeyTable } from '../../../infra/commands/api-keys.ts'
import { findDeployment } from '../../../infra/commands/deployment.ts'
import { smokeTest } from '../../../infra/commands/smoke.ts'
import { entries } from '../../../shared/contract.ts'
import {
  type FakeRequest,
  type FakeResponse,
  type Fate,
  serveFake,
} from '../../support/fake-api.ts'
import { forward } from '../../support/fault-proxy.ts'
import { runCommand, startCommand } from '../../support/run-command.ts'
import { exampleCredentials } from '../../support/secrets.ts'
import { listAll, startServer } from '../../support/server.ts'

const server = await startServer([], exampleCredentials)
afterAll(() => server.stop())
const { origin, port } = new URL(server.baseUrl)
const target = ['--stage', 'local', '--port', port]
const table = new ApiKeyTable(await findDeployment({ stage: 'local', port: Number(port) }))

/** What a smoke test must leave as it is. */
const stored = async () => ({ keys: await table.all(), pets: await listAll(server) })

/** Replaces what differs from run to run. */
const same = (line: string): string =>
  line
    .replace(/smoke-test-[\w-]{36}/, '<name>')
    .replace(/key_\w+/, '<key>')
    .replaceAll(/\b\d{13,}\b/g, '<id>')

const CHECKS = [
  '✓ GET /pets?limit=1: 200',
  '✓ POST /pets "<name>": 201',
  '✓ POST /pets with the same Idempotency-Key: 201',
  '✓ GET /pets?status=sold&limit=100 for the new pet: 200',
  '✓ DELETE /pets/<id>: 204',
  ...Object.values(entries).map(({ method, path, pages }) => {
    const isOfOne = path.includes('{') && !pages
    const statuses = { GET: isOfOne ? 404 : 200, POST: 400, PATCH: 404, DELETE: 404 }
    return `✓ ${method} ${path.replace(/{\w+}/, '<id>')}: ${statuses[method]}`
  }),
  '✓ GET /pets/1/smoke-test: 404',
  '✓ PUT /pets: 405',
  '✓ GET /pets without a key: 401',
]

const KEY_LINE = 'Issuing the API key <key>. If this is stopped, revoke it.\n'

test('calls each function and leaves nothing behind', async () => {
  const before = await stored()

  const { code, stdout, stderr } = await runCommand('commands/smoke', target, exampleCredentials)

  expect({ code, stderr: same(stderr) }).toEqual({ code: 0, stderr: KEY_LINE })
  expect(stdout.trimEnd().split('\n').map(same)).toEqual([`Testing ${server.baseUrl}`, ...CHECKS])
  expect(await stored()).toEqual(before)
})

test('deletes its key when signals stop it; it would expire anyway', async () => {
  const before = await stored()
  const { baseUrl, requests } = await serveFake('silence')
  const options = [...target, '--base-url', baseUrl]
  const { child, exited } = startCommand('commands/smoke', options, exampleCredentials)
  await vi.waitUntil(() => requests.length > 0, { timeout: 30_000 })
  const inAnHour = Date.now() / 1000 + 3600
  const own = (await table.all()).filter(({ expiresAt = Infinity }) => expiresAt <= inAnHour)
  expect(own).toHaveLength(1)

  // Each signal alone would end a process that does not handle it.
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) child.kill(signal)

  const { code, stderr } = await exited
  expect({ code, stderr: same(stderr) }).toEqual({ code: 1, stderr: `${KEY_LINE}Stopped.\n` })
  expect(await stored()).toEqual(before)
})

const printed = vi.spyOn(console, 'info').mockImplementation(() => {})

type Change = (response: FakeResponse, request: FakeRequest) => Fate

/** Tests the local server behind a proxy that changes its responses. */
const runChanged = async (
  change: Change,
  { waitSeconds = 0, stop = new AbortController() } = {},
) => {
  const { baseUrl } = await serveFake(async (request) =>
    change(await forward(origin, request), request),
  )
  printed.mockClear()
  const apiKey = async () => server.apiKey
  const api = { baseUrl, apiKey, waitSeconds, perSecond: 1000, signal: stop.signal }
  const error = await smokeTest(api).catch(({ message }) => message)
  return { error, lines: printed.mock.calls.map(([line]) => same(String(line))) }
}

test('waits for a new deployment, and for the list to follow', async () => {
  const late: Fate[] = ['cut', { status: 403 }]
  let lists = 0

  const { error, lines } = await runChanged(
    (response, { path }) => {
      if (path.includes('status=') && lists++ === 0) return { status: 200, body: '[]' }
      return late.shift() ?? response
    },
    { waitSeconds: 30 },
  )

  expect({ error, lines, lists }).toEqual({ error: undefined, lines: CHECKS, lists: 2 })
})

/** Changes the responses with a status to a method. */
const on =
  (method: string, status: number, fate: Fate): Change =>
  (response, sent) =>
    sent.method === method && response.status === status ? fate : response
const empty = { status: 200, body: '[]' }
const denied = { status: 500, body: '{"code":"internal_server_error","message":"-","status":500}' }
const forbidden = { status: 405, body: '{"message":"Forbidden"}' }
let creations = 0
const twice: Change = (response) =>
  response.status === 201 && ++creations === 2 ? { ...response, body: '{"id":1}' } : response

test.each([
  ['takes effect twice', twice, 'POST /pets with the same Idempotency-Key: expected 201, got 201'],
  [
    'has another list',
    on('GET', 200, { ...empty, body: '[{}]' }),
    'GET /pets?status=sold&limit=100',
  ],
  ['asks for no key', on('GET', 401, empty), 'GET /pets without a key: expected 401, got 200'],
  ['has other errors', on('PUT', 405, forbidden), 'PUT /pets: expected 405, got 405'],
])('fails if an API %s', async (_, change, line) => {
  const { error, lines } = await runChanged(change)

  expect(error).toBe('The smoke test failed.')
  expect(lines.filter((each) => each.startsWith('✗'))).toEqual([
    expect.stringContaining(`✗ ${line}`),
  ])
})

test('does not wait longer than it may, whatever the API asks for', async () => {
  const closed = { status: 503, headers: { 'Retry-After': '3600' } }

  const { error } = await runChanged(on('GET', 200, closed), { waitSeconds: 30 })

  expect(error).toBe('The smoke test failed.')
})

test('sends a write once, whatever it waits for', async () => {
  let changes = 0
  const deny = on('PATCH', 404, denied)

  const { error } = await runChanged(
    (response, request) => {
      if (request.method === 'PATCH') changes++
      return deny(response, request)
    },
    { waitSeconds: 3600 },
  )

  expect({ error, changes }).toEqual({ error: 'The smoke test failed.', changes: 1 })
})

test('says what may be left, and deletes no other pet', async () => {
  const others = on('POST', 201, { status: 201, body: '{"id":1,"name":"Rex"}' })
  const sent: string[] = []

  const failing = await runChanged((response, { method }) =>
    method === 'DELETE' ? denied : response,
  )
  const confused = await runChanged((response, request) => {
    sent.push(request.method)
    return others(response, request)
  })

  const line = '"<name>" may be left. Find it in GET /pets?status=sold, and delete it.'
  for (const { lines } of [failing, confused]) expect(lines.at(-1)).toBe(line)
  expect(sent).not.toContain('DELETE')
})

test.each([
  ['a lost response', 'The smoke test failed.'],
  ['a signal', 'Stopped.'],
])('leaves nothing behind after %s, at any request', async (happening, message) => {
  const before = await stored()

  for (let count = 0, error: unknown = message; error !== undefined; count++) {
    expect(error).toBe(message)
    const stop = new AbortController()
    let left = count
    const happen = (response: FakeResponse): Fate => {
      if (left-- > 0) return response
      if (happening === 'a signal') stop.abort(new Error('Stopped.'))
      return left === -1 ? 'cut' : response
    }
    error = (await runChanged(happen, { stop })).error
    expect(await stored(), `request ${count}`).toEqual(before)
  }
})
