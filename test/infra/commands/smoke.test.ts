import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { findDeployment } from '../../../infra/commands/deployment.ts'
import { KeyTable } from '../../../infra/commands/key-table.ts'
import { smokeTest } from '../../../infra/commands/smoke.ts'
import { contract, operationIds } from '../../../shared/contract.ts'
import { isApiKey, newApiKey } from '../../../shared/model/api-key.ts'
import { serve } from '../../support/fake-api.ts'
import { send } from '../../support/http.ts'
import { runCommand, startCommand } from '../../support/run-command.ts'
import { exampleCredentials } from '../../support/secrets.ts'
import { startServer } from '../../support/server.ts'

// A developer may need these in AWS; a local database has no such endpoints.
const env = { ...exampleCredentials, AWS_USE_FIPS_ENDPOINT: 'true', AWS_USE_DUALSTACK_ENDPOINT: 'true' }
const server = await startServer([], env)
afterAll(() => server.stop())
const { port } = new URL(server.baseUrl)
const target = ['--stage', 'local', '--port', port]
const table = new KeyTable(await findDeployment({ stage: 'local', port: Number(port) }))

const storedPets = async () => {
  const headers = { Authorization: `Bearer ${server.apiKey}` }
  return (await send(server.baseUrl, { path: '/pets', headers })).body
}

/** Replaces what differs from run to run. */
const same = (line: string): string =>
  line
    .replaceAll(/(?<=\/)\d{13,}/g, '<id>')
    .replace(/"Smoke test.+?"/, '"<name>"')
    .replace(/key_\w+/, '<key>')

test('passes on a working API, and leaves neither a pet nor a key', async () => {
  const before = [await table.all(), await storedPets()]

  const { code, stdout, stderr } = await runCommand('commands/smoke', target, env)

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = Object.groupBy(stdout.trimEnd().split('\n').map(same), (line) => `${/ without a key: 401$/.test(line)}`)
  expect(lines.true).toHaveLength(operationIds.length)
  expect(lines.false).toEqual([
    `Testing ${server.baseUrl} with the key <key>`,
    '✓ GET /pets?limit=1: 200',
    '✓ POST /pets with "<name>": 201',
    '✓ POST /pets again, with the same Idempotency-Key: 201',
    '✓ GET /pets?limit=100&status=sold for the new pet: 200',
    '✓ PATCH /pets/<id>: 200',
    '✓ PATCH /pets/<id> with the ETag of the creation: 412',
    '✓ POST /store/orders for the pet: 201',
    '✓ DELETE /store/orders/<id>: 204',
    '✓ DELETE /pets/<id>: 204',
    '✓ DELETE /pets/<id> after that: 404',
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

  const args = [...target, '--base-url', `${baseUrl}/`, '--wait', '1s']
  const { code, stdout, stderr } = await runCommand('commands/smoke', args, env)

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
  const { child, exited } = startCommand('commands/smoke', [...target, '--base-url', baseUrl], env)
  await vi.waitUntil(() => requests.length > 0, { timeout: 30_000 })
  expect(await table.all()).toHaveLength(before.length + 1)

  // Each signal alone would end a process that does not handle it.
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) child.kill(signal)

  const { code, stdout, stderr } = await exited
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'Stopped.\n' })
  expect(stdout).toMatch(/\nThe key key_\w+ is revoked\.\n$/)
  expect(await table.all()).toEqual(before)
})

test('leaves neither a pet nor a key when its output is closed', async () => {
  const before = [await table.all(), await storedPets()]
  const { child, exited } = startCommand('commands/smoke', target, env)

  child.stdout.destroy()

  const { code, stderr } = await exited
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'Cannot print: write EPIPE.\nStopped.\n' })
  expect([await table.all(), await storedPets()]).toEqual(before)
})

/** A response of the API, and the request that it belongs to. */
type Received = { request: string; status: number; headers: Headers; text: string }
type Alteration = (received: Received) => Partial<Received>

const printed = vi.spyOn(console, 'info').mockImplementation(() => {})
afterEach(() => printed.mockClear())

/** Tests the local server, and alters its responses. Returns the error of the test, and the lines that it printed. */
const runAltered = async (alter: Alteration, { waitSeconds = 0, stop = new AbortController() } = {}) => {
  const altered: typeof fetch = async (url, init) => {
    const response = await fetch(url, init)
    const received = { request: `${init?.method} ${url}`, ...response, text: await response.text() }
    const { status, headers } = response
    const { text, ...changed } = { ...received, status, headers, ...alter({ ...received, status, headers }) }
    return new Response(text || null, changed)
  }
  const { baseUrl, apiKey } = server
  const api = { baseUrl, apiKey, unknownKey: newApiKey('local'), waitSeconds, signal: stop.signal, fetch: altered }
  const error = await smokeTest(api).catch(({ message }) => message)
  return { error, lines: printed.mock.calls.map(([line]) => same(String(line))) }
}

type Matches = (received: Received) => boolean

const isList: Matches = ({ request }) => request.includes('status=sold')
const isReplay: Matches = ({ headers }) => headers.has('Idempotent-Replayed')
const hasStatus = (status: number) => (received: Received) => received.status === status
const changes: Matches = ({ request, status }) => request.startsWith('PATCH') && status === 200

const without = (name: string) => (received: Received) => ({
  headers: new Headers([...received.headers].filter(([each]) => each !== name.toLowerCase())),
})
const withField =
  (field: object) =>
  ({ text }: Received) => ({ text: text.replace(/}$/, `,${JSON.stringify(field).slice(1)}`) })

test('waits for a new deployment and a list that is late, and accepts the AWS name of WWW-Authenticate', async () => {
  let late = 2

  const { error } = await runAltered(
    (received) => {
      if (received.request.endsWith('/pets?limit=1') && late === 2) return { status: 403, text: `${late--}` }
      if (isList(received) && late === 1) return { text: `[${late--}]` }
      const challenge = received.headers.get('WWW-Authenticate')
      return challenge ? { headers: new Headers({ 'x-amzn-Remapped-WWW-Authenticate': challenge }) } : {}
    },
    { waitSeconds: 30 },
  )

  expect({ error, late }).toEqual({ error: undefined, late: 0 })
})

const [first] = Object.values(contract)
const FIRST_WITHOUT_KEY = `${first?.method} ${first?.path.replaceAll(/{\w+}/g, '1')} without a key`
const LIST = 'GET /pets?limit=100&status=sold for the new pet'
const REPLAY = 'POST /pets again, with the same Idempotency-Key'
const rounded = ({ text }: Received) => ({ text: text.replaceAll('9223372036854775807', '9223372036854776000') })

const isDeletion: Matches = ({ request, status }) => status === 204 && request.includes('/pets/')
const isCancellation: Matches = ({ request, status }) => status === 204 && request.includes('/orders/')

test.each<[string, string, Matches, (received: Received) => Partial<Received>]>([
  ['rounds an int64', LIST, isList, rounded],
  ['does not list the pet', LIST, isList, () => ({ text: '[]' })],
  ['does not return its address', REPLAY, isReplay, without('Location')],
  ['creates a pet twice', REPLAY, isReplay, withField({ id: 1 })],
  ['does not mark a replay', REPLAY, isReplay, without('Idempotent-Replayed')],
  ['does not change the pet', 'PATCH /pets/<id>', changes, withField({ name: 'a' })],
  ['ignores If-Match', 'PATCH /pets/<id> with the ETag of the creation', hasStatus(412), () => ({ status: 200 })],
  ['does not delete', 'DELETE /pets/<id>', isDeletion, () => ({ status: 500 })],
  ['does not cancel', 'DELETE /store/orders/<id>', isCancellation, () => ({ status: 500 })],
  ['adds a field to an error', 'POST /pets with an invalid body', hasStatus(400), withField({ requestId: 'r' })],
  [
    'has an empty error message',
    'PUT /pets',
    hasStatus(405),
    ({ text }) => ({ text: text.replace(/"message":".+?"/, '"message":""') }),
  ],
  ['does not name the allowed methods', 'PUT /pets', hasStatus(405), without('Allow')],
  ['needs no key', FIRST_WITHOUT_KEY, hasStatus(401), () => ({ status: 200 })],
])('reports an API that %s: %s', async (_, what, matches, change) => {
  const before = await storedPets()

  const { error, lines } = await runAltered((received) => (matches(received) ? change(received) : {}))

  expect(error).toBe('The smoke test failed.')
  const failed = lines.filter((line) => line.startsWith('✗'))
  expect(failed).toEqual([expect.stringContaining(`✗ ${what}: `)])
  expect(await storedPets()).toEqual(before)
})

test('deletes no other pet if the response to the creation names one', async () => {
  const { lines } = await runAltered(({ status }) => (status === 201 ? { text: '{"id":1}' } : {}))

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
