import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { CommandError } from '../../../infra/command-line.ts'
import { findDeployment } from '../../../infra/keys/deployment.ts'
import { KeyTable } from '../../../infra/keys/key-table.ts'
import { type Api, apiAt, type Received, type Sent } from '../../../infra/smoke/check.ts'
import { runChecks } from '../../../infra/smoke/checks.ts'
import { readOptions } from '../../../infra/smoke/main.ts'
import { contract } from '../../../shared/contract.ts'
import { serve } from '../../support/fake-api.ts'
import { send } from '../../support/http.ts'
import { exampleCredentials } from '../../support/secrets.ts'
import { startServer } from '../../support/server.ts'
import { runCommand, startCommand } from '../keys/run-command.ts'

// The commands find the server of this file by this environment.
const env = {
  LOCAL_DATABASE_FILE: join(mkdtempSync(join(tmpdir(), 'smoke-')), 'database.json'),
  ...exampleCredentials,
  // A developer may need these in AWS; a local database has no such endpoints.
  AWS_USE_FIPS_ENDPOINT: 'true',
  AWS_USE_DUALSTACK_ENDPOINT: 'true',
}
process.env.LOCAL_DATABASE_FILE = env.LOCAL_DATABASE_FILE
const server = await startServer([], env)
const table = new KeyTable(await findDeployment({ stage: 'local', prefix: '' }))
afterAll(() => server.stop())

const storedPets = async () => {
  const headers = { Authorization: `Bearer ${server.apiKey}` }
  return (await send(server.baseUrl, { path: '/pets', headers })).body
}

test('passes on a working API, and leaves neither a pet nor a key', async () => {
  const before = [await table.all(), await storedPets()]

  const { code, stdout, stderr } = await runCommand('smoke', ['--stage', 'local'], env)

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [, keyId = ''] = /(key_\w+)$/m.exec(stdout) ?? []
  const [, name = ''] = /"(Smoke test of .+?)"/.exec(stdout) ?? []
  const challenge = 'the header WWW-Authenticate or x-amzn-Remapped-WWW-Authenticate'
  expect(stdout.replaceAll(/\d{13,}/g, '<id>').split('\n')).toEqual([
    `Testing ${server.baseUrl} with the key ${keyId}`,
    '✓ GET /pets?limit=1: 200, an array',
    `✓ POST /pets with "${name}": 201, the pet with its id, the header Location`,
    '✓ POST /pets again, with the same Idempotency-Key: 201, the same pet, the header Idempotent-Replayed',
    '✓ GET /pets/<id>: 200, the pet',
    '✓ GET /pets?status=sold&limit=100: 200, the pet among others',
    '✓ PATCH /pets/<id> with the status pending: 200, the changed pet',
    '✓ DELETE /pets/<id>: 204, no body',
    '✓ GET /pets/<id> after that: 404, the error body of not_found',
    ...Object.values(contract).map(({ method, path }) => {
      return `✓ ${method} ${path} without a key: 401, the error body of unauthorized, ${challenge}`
    }),
    `✓ GET /pets with an unknown key: 401, the error body of unauthorized, ${challenge}`,
    '✓ POST /pets with an invalid body: 400, the error body of bad_request',
    '✓ GET /pets/1: 404, the error body of not_found',
    '✓ GET /smoke-test: 404, the error body of not_found',
    '✓ GET /pets/1/smoke-test: 404, the error body of not_found',
    '✓ DELETE /pets: 405, the error body of method_not_allowed, the header Allow',
    `The key ${keyId} is revoked.`,
    '',
  ])
  expect([await table.all(), await storedPets()]).toEqual(before)
})

describe('on an API that does not work', () => {
  test('fails, follows no redirect, and still revokes its key', async () => {
    const before = await table.all()
    const { baseUrl, requests } = await serve({ status: 302, headers: { Location: '/v2' }, body: '{}' })

    const { code, stdout } = await runCommand('smoke', ['--stage', 'local', '--base-url', baseUrl, '--wait', '1s'], env)

    expect(code).toBe(1)
    expect(stdout).toContain('\n✗ GET /pets?limit=1: expected 200, an array, but got 302 with {} (')
    expect(stdout).toMatch(/\nThe key key_\w+ is revoked\.\n$/)
    expect(requests.length).toBeGreaterThan(1)
    const keys = new Set(requests.map(({ headers }) => headers.authorization))
    expect(keys).toEqual(new Set([expect.stringMatching(/^Bearer pet_local_\w{38}$/)]))
    expect(await table.all()).toEqual(before)
  })

  test('revokes its key when signals stop it', async () => {
    const before = await table.all()
    const { baseUrl, requests } = await serve('silence')
    const { child, exited } = startCommand('smoke', ['--stage', 'local', '--base-url', baseUrl], env)
    await vi.waitUntil(() => requests.length > 0, { timeout: 30_000 })
    expect(await table.all()).toHaveLength(before.length + 1)

    // Each signal alone would end a process that does not handle it.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) child.kill(signal)

    const { code, stdout, stderr } = await exited
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'Stopped.\n' })
    expect(stdout).toMatch(/\nThe key key_\w+ is revoked\.\n$/)
    expect(await table.all()).toEqual(before)
  })
})

test('leaves neither a pet nor a key when its output is closed', async () => {
  const before = [await table.all(), await storedPets()]
  const { child, exited } = startCommand('smoke', ['--stage', 'local'], env)

  child.stdout.destroy()

  const { code, stderr } = await exited
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'Cannot print: write EPIPE.\n' })
  expect([await table.all(), await storedPets()]).toEqual(before)
})

test('the command line sets an address and a time to wait', () => {
  const staging = ['--stage', 'staging']
  const target = { stage: 'staging', prefix: '' }

  expect(readOptions(staging)).toEqual({ target, baseUrl: undefined, waitSeconds: 30 })
  expect(readOptions([...staging, '--base-url', 'https://api.example.com/v1/', '--wait', '2m'])).toEqual({
    ...{ target, baseUrl: 'https://api.example.com/v1', waitSeconds: 120 },
  })
  expect(readOptions(['--help'])).toBeUndefined()
  for (const address of ['x', 'ftp://api.example.com/v1'])
    expect(() => readOptions([...staging, '--base-url', address])).toThrow(
      new CommandError('--base-url must be an HTTP or HTTPS address, such as https://api.example.com/v1.'),
    )
})

type Alteration = (received: Received, sent: Sent) => Partial<Received> | undefined

const printed = vi.spyOn(console, 'info').mockImplementation(() => {})
afterEach(() => printed.mockClear())

/** Runs the checks on the local server, and alters its responses. */
const runAltered = async (alter: Alteration, { waitSeconds = 0, stop = new AbortController() } = {}) => {
  const api = apiAt(server.baseUrl, stop.signal)
  const call = async (...[sent, stopped]: Parameters<Api['call']>) => {
    const received = await api.call(sent, stopped)
    return { ...received, ...alter(received, sent) }
  }
  const passed = await runChecks({ ...api, call }, { key: server.apiKey, keyPrefix: 'local', waitSeconds })
  const lines = printed.mock.calls.map(([line]) => String(line).replaceAll(/\d{13,}/g, '<id>'))
  return { passed, lines: lines.map((line) => line.replace(/"Smoke test.+?"/, '"<name>"')) }
}

type Matches = (received: Received, sent: Sent) => boolean

/** Alters the responses that match. */
const on =
  (matches: Matches, change: (received: Received) => Partial<Received>): Alteration =>
  (received, sent) =>
    matches(received, sent) ? change(received) : undefined

const isList: Matches = (_, { path }) => path.includes('status=sold')
const isPet: Matches = ({ status }, { path, method }) => status === 200 && !method && /^\/pets\/\d{13,}$/.test(path)
const hasStatus = (status: number) => (received: Received) => received.status === status

const without = (name: string) => (received: Received) => ({
  headers: new Headers([...received.headers].filter(([each]) => each !== name.toLowerCase())),
})

test('a call is aborted when the signal stops the API', async () => {
  const { call, stopped } = apiAt(server.baseUrl, AbortSignal.abort())

  await expect(call({ path: '/pets' }, stopped)).rejects.toHaveProperty('name', 'AbortError')
})

describe('the checks', () => {
  test('wait for a new deployment and a list that is late, and accept the AWS name of WWW-Authenticate', async () => {
    let late = 2

    const { passed } = await runAltered(
      (received, sent) => {
        if (sent.path === '/pets?limit=1' && late === 2) return { status: 403, body: late-- }
        if (isList(received, sent) && late === 1) return { body: [late--] }
        const challenge = received.headers.get('WWW-Authenticate')
        return challenge ? { headers: new Headers({ 'x-amzn-Remapped-WWW-Authenticate': challenge }) } : undefined
      },
      { waitSeconds: 30 },
    )

    expect({ passed, late }).toEqual({ passed: true, late: 0 })
  })

  const isReplay: Matches = ({ headers }) => headers.has('Idempotent-Replayed')
  const isChanged: Matches = ({ status }, { method }) => method === 'PATCH' && status === 200
  const isGone: Matches = ({ status }, { path }) => status === 404 && /\d{13,}$/.test(path)
  const hasNoKey: Matches = (_, { path, method, key }) => path === '/pets' && method === 'GET' && !key
  const withField = (field: object) => (received: Received) => ({ body: { ...Object(received.body), ...field } })

  test.each<[string, string, Alteration]>([
    ['rounds an int64', 'GET /pets/<id>', on(isPet, withField({ categoryId: 2 ** 63 }))],
    ['does not list the pet', 'GET /pets?status=sold&limit=100', on(isList, () => ({ body: [] }))],
    ['does not return its address', 'POST /pets with "<name>"', on(hasStatus(201), without('Location'))],
    ['creates a pet twice', 'POST /pets again, with the same Idempotency-Key', on(isReplay, withField({ id: 1 }))],
    ['does not mark a replay', 'POST /pets again, with the same Idempotency-Key', without('Idempotent-Replayed')],
    ['does not change the pet', 'PATCH /pets/<id> with the status pending', on(isChanged, withField({ name: 'a' }))],
    ['returns a deleted pet', 'GET /pets/<id> after that', on(isGone, () => ({ status: 200 }))],
    ['adds a field to an error', 'POST /pets with an invalid body', on(hasStatus(400), withField({ requestId: 'r' }))],
    ['has an empty error message', 'DELETE /pets', on(hasStatus(405), withField({ message: '' }))],
    ['does not name the allowed methods', 'DELETE /pets', on(hasStatus(405), without('Allow'))],
    ['needs no key', 'GET /pets without a key', on(hasNoKey, () => ({ status: 200, body: [] }))],
  ])('report an API that %s: %s', async (_, what, alter) => {
    const before = await storedPets()

    const { passed, lines } = await runAltered(alter)

    const failed = lines.filter((line) => line.startsWith('✗'))
    expect(failed).toEqual([expect.stringContaining(`✗ ${what}: expected `)])
    expect(passed).toBe(false)
    expect(await storedPets()).toEqual(before)
  })

  test('delete the pet when a signal stops them', async () => {
    const before = await storedPets()
    const stop = new AbortController()
    const stopAtCreation: Alteration = ({ status }) => void (status === 201 && stop.abort())

    const { passed, lines } = await runAltered(stopAtCreation, { stop })

    expect(passed).toBe(false)
    expect(lines).toEqual([
      '✓ GET /pets?limit=1: 200, an array',
      '✓ POST /pets with "<name>": 201, the pet with its id, the header Location',
      '✓ DELETE /pets/<id>: 204, no body',
      '✓ GET /pets/<id> after that: 404, the error body of not_found',
    ])
    expect(await storedPets()).toEqual(before)
  })

  test.each([
    ['the deletion fails', on(hasStatus(204), () => ({ status: 500 }))],
    ['the response to the creation has another pet', on(hasStatus(201), () => ({ body: { id: 1 } }))],
  ])('say that the pet may stay if %s, and delete no other pet', async (_, alter) => {
    const { passed, lines } = await runAltered(alter)

    expect(passed).toBe(false)
    expect(lines).toContain('The pet "<name>" may still be in the store.')
    expect(lines).not.toContainEqual(expect.stringContaining('DELETE /pets/1:'))
  })
})
