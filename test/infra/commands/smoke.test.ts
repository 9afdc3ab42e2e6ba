import { execFileSync } from 'node:child_process'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { findDeployment } from '../../../infra/commands/deployment.ts'
import { KeyTable } from '../../../infra/commands/key-table.ts'
import { noteAlarms, smokeTest } from '../../../infra/commands/smoke.ts'
import { type Stage, stages } from '../../../infra/stages.ts'
import { contract, type OperationId, operationIds } from '../../../shared/contract.ts'
import { isApiKey, newApiKey } from '../../../shared/model/api-key.ts'
import { MAX_LIMIT } from '../../../shared/model/paging.ts'
import type { Entry } from '../../../shared/pipeline/entry.ts'
import { smoke } from '../../../shared/resources.ts'
import { serve } from '../../support/fake-api.ts'
import { sendUntilServed } from '../../support/http.ts'
import { runCommand, startCommand } from '../../support/run-command.ts'
import { exampleCredentials } from '../../support/secrets.ts'
import { headersOf, startServer } from '../../support/server.ts'

// A developer may need these in AWS; a local database has no such endpoints.
const env = {
  ...exampleCredentials,
  AWS_USE_FIPS_ENDPOINT: 'true',
  AWS_USE_DUALSTACK_ENDPOINT: 'true',
}
const server = await startServer([], env)
afterAll(() => server.stop())
const { port } = new URL(server.baseUrl)
const target = ['--stage', 'local', '--port', port]
const table = new KeyTable(await findDeployment({ stage: 'local', port: Number(port) }))

/** What it must leave as it is: the keys, and the first page of each list if it can delete. */
const stored = async () => {
  const lists = remove ? Object.values<Entry>(contract).filter(({ paged }) => paged) : []
  const read = ({ path }: Entry) =>
    sendUntilServed(server.baseUrl, { path, headers: headersOf(server) })
  const responses = await Promise.all(lists.map(read))
  return { keys: await table.all(), lists: responses.map(({ text }) => text) }
}

const { change, refused, remove } = smoke
const { path } = contract[smoke.create]
const query = `${new URLSearchParams({ limit: `${MAX_LIMIT}`, ...smoke.filter })}`
const pathOf = (id: OperationId = smoke.create) => contract[id].path.replace(/{\w+}/, '<id>')
const FIRST = `GET ${contract[smoke.list].path}?limit=1`
const LIST = `GET ${contract[smoke.list].path}?${query} for the new item`
const CREATION = `POST ${path} with "<name>"`
const REPLAY = `POST ${path} again, with the same Idempotency-Key`
const CHANGE = `PATCH ${pathOf(change?.operation)}`
const OUTDATED = `${CHANGE} with the ETag of the creation`
const REFUSED = `POST ${pathOf(refused?.operation)}`
const REMOVAL = `DELETE ${pathOf(remove)}`
const STAYS = '"<name>" stays: nothing deletes it.'
const INVALID = `POST ${path} with an invalid body`

/** Replaces what differs from run to run. */
const same = (line: string): string =>
  line
    .replaceAll(/(?<=\/)\d{13,}/g, '<id>')
    .replace(/"Smoke test.+?"/, '"<name>"')
    .replace(/key_\w+/, '<key>')

test('passes on a working API, and leaves nothing behind that can be deleted', async () => {
  const before = await stored()

  const { code, stdout, stderr } = await runCommand('commands/smoke', target, env)

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = stdout.trimEnd().split('\n').map(same)
  const withoutKey = lines.filter((line) => line.endsWith(' without a key: 401'))
  expect(withoutKey).toHaveLength(operationIds.length)
  const expected = [
    `Testing ${server.baseUrl} with the key <key>`,
    `✓ ${FIRST}: 200`,
    `✓ ${CREATION}: 201`,
    `✓ ${REPLAY}: 201`,
    `✓ ${LIST}: 200`,
    ...(change ? [`✓ ${CHANGE}: 200`, `✓ ${OUTDATED}: 412`] : []),
    ...(refused ? [`✓ ${REFUSED}: 409`] : []),
    ...(remove ? [`✓ ${REMOVAL}: 204`, `✓ ${REMOVAL} after that: 404`] : [STAYS]),
    `✓ ${FIRST} with an unknown key: 401`,
    `✓ ${INVALID}: 400`,
    '✓ GET /smoke-test: 404',
    `✓ GET ${path}/1/smoke-test: 404`,
    `✓ PUT ${path}: 405`,
    'The key <key> is revoked.',
  ]
  expect(lines.filter((line) => expected.includes(line))).toEqual(expected)
  expect(await stored()).toEqual(before)
})

test('fails, follows no redirect, and still revokes its key', async () => {
  const before = await stored()
  const redirect = { status: 302, headers: { Location: '/v2' }, body: '{}' }
  const { baseUrl, requests } = await serve(redirect)

  const args = [...target, '--base-url', `${baseUrl}/`, '--wait', '1s']
  const { code, stdout, stderr } = await runCommand('commands/smoke', args, env)

  expect({ code, stderr }).toEqual({ code: 1, stderr: 'The smoke test failed.\n' })
  expect(stdout).toContain(`\n✗ ${FIRST}: expected 200, got 302: {} (`)
  expect(stdout).toMatch(/\nThe key key_\w+ is revoked\.\n$/)
  expect(requests.length).toBeGreaterThan(1)
  const [key = '', ...others] = new Set(
    requests.map(({ headers }) => headers.authorization?.slice('Bearer '.length)),
  )
  expect([isApiKey(key, 'local'), others]).toEqual([true, []])
  expect(await stored()).toEqual(before)
})

test('revokes its key when signals stop it; it would expire anyway', async () => {
  const before = await stored()
  const { baseUrl, requests } = await serve('silence')
  const { child, exited } = startCommand('commands/smoke', [...target, '--base-url', baseUrl], env)
  await vi.waitUntil(() => requests.length > 0, { timeout: 30_000 })
  const own = (await table.all()).filter(
    ({ expiresAt }) => expiresAt && expiresAt <= Date.now() / 1000 + 600,
  )
  expect(own).toHaveLength(1)

  // Each signal alone would end a process that does not handle it.
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) child.kill(signal)

  expect(await exited).toMatchObject({ code: 1, stderr: 'Stopped.\n' })
  expect(await stored()).toEqual(before)
})

test('leaves nothing behind when its output is closed', async () => {
  const before = await stored()
  const { child, exited } = startCommand('commands/smoke', target, env)

  child.stdout.destroy()

  expect(await exited).toMatchObject({ code: 1, stderr: 'Stopped.\n' })
  expect(await stored()).toEqual(before)
})

/** A response of the API, and the request that it belongs to. */
type Received = { request: string; status: number; headers: Headers; text: string }
type Alteration = (received: Received) => Partial<Received>

const printed = vi.spyOn(console, 'info').mockImplementation(() => {})

type Fetch = typeof globalThis.fetch

/**
 * Tests the local server, with a `fetch` of the test. Returns the error, and the lines that were
 * printed.
 */
const runWith = async (fetch: Fetch, { waitSeconds = 0, stop = new AbortController() } = {}) => {
  const replaced = vi.spyOn(globalThis, 'fetch').mockImplementation(fetch)
  printed.mockClear()
  const { baseUrl, apiKey } = server
  const plan = { baseUrl, apiKey, unknownKey: newApiKey('local'), waitSeconds }
  const error = await smokeTest({ ...plan, signal: stop.signal }).catch(({ message }) => message)
  replaced.mockRestore()
  return { error, lines: printed.mock.calls.map(([line]) => same(String(line))) }
}

const { fetch } = globalThis

/** Tests the local server, and alters its responses. */
const runAltered = (alter: Alteration, options = {}) =>
  runWith(async (url, init) => {
    const response = await fetch(url, init)
    const { status, headers } = response
    const request = `${init?.method} ${url}`
    const received = { request, status, headers, text: await response.text() }
    const { text, ...changed } = { ...received, ...alter(received) }
    return new Response(text || null, changed)
  }, options)

type Matches = (received: Received) => boolean

const isList: Matches = ({ request }) => request.includes(query)
const isReplay: Matches = ({ headers }) => headers.has('Idempotent-Replayed')
const isChange: Matches = ({ request, status }) => request.startsWith('PATCH') && status === 200
const hasStatus = (status: number) => (received: Received) => received.status === status

const without = (name: string) => (received: Received) => ({
  headers: new Headers([...received.headers].filter(([each]) => each !== name.toLowerCase())),
})
const withField =
  (field: object) =>
  ({ text }: Received) => ({ text: text.replace(/}$/, `,${JSON.stringify(field).slice(1)}`) })

test('waits for a new deployment and a late list, and accepts the header of AWS', async () => {
  let late = 2

  const { error } = await runAltered(
    (received) => {
      if (received.request.endsWith('?limit=1') && late === 2)
        return { status: 403, text: `${late--}` }
      if (isList(received) && late === 1) return { text: `[${late--}]` }
      const challenge = received.headers.get('WWW-Authenticate')
      return challenge
        ? { headers: new Headers({ 'x-amzn-Remapped-WWW-Authenticate': challenge }) }
        : {}
    },
    { waitSeconds: 30 },
  )

  expect({ error, late }).toEqual({ error: undefined, late: 0 })
})

const [first] = Object.values(contract)
const FIRST_WITHOUT_KEY = `${first?.method} ${first?.path.replaceAll(/{\w+}/g, '1')} without a key`
const fail = () => {
  throw new TypeError('Made by the test.')
}
const recoded = ({ text }: Received) => ({ text: text.replace('bad_request', 'invalid') })
const emptied = ({ text }: Received) => ({ text: text.replace(/"message":".+?"/, '"message":""') })
let replays = 1
const isFirstReplay: Matches = (received) => isReplay(received) && replays-- === 1

type Fault = [string, string, Matches, Alteration]

const lacking = change ? [] : [CHANGE, OUTDATED]
const faults: Fault[] = [
  ['does not list what it created', LIST, isList, () => ({ text: '[]' })],
  ['does not return its address', REPLAY, isReplay, without('Location')],
  ['creates twice', REPLAY, isFirstReplay, withField({ id: 1 })],
  ['does not mark a replay', REPLAY, isReplay, without('Idempotent-Replayed')],
  ['does not change', CHANGE, isChange, withField({ id: 1 })],
  ['ignores If-Match', OUTDATED, hasStatus(412), () => ({ status: 200 })],
  ['does not respond', FIRST, () => true, fail],
  ['returns another code', INVALID, hasStatus(400), recoded],
  ['has an empty error message', `PUT ${path}`, hasStatus(405), emptied],
  ['does not name the allowed methods', `PUT ${path}`, hasStatus(405), without('Allow')],
  ['does not ask for a key', FIRST_WITHOUT_KEY, hasStatus(401), without('WWW-Authenticate')],
]

test.each(faults.filter(([, what]) => !lacking.includes(what)))(
  'reports an API that %s: %s',
  async (_, what, matches, alter) => {
    const { error, lines } = await runAltered((received) =>
      matches(received) ? alter(received) : {},
    )

    expect(error).toBe('The smoke test failed.')
    const failed = lines.filter((line) => line.startsWith('✗'))
    expect(failed).toEqual([expect.stringContaining(`✗ ${what}`)])
  },
)

test('gives up on a response that stalls', async () => {
  const stalled = await serve('drip')
  const timeout = AbortSignal.timeout
  const limits = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(50))

  const { lines } = await runWith((_, init) =>
    fetch(stalled.baseUrl, { ...init, body: null, method: 'GET' }),
  )

  expect(lines).toEqual([
    `✗ ${FIRST}: expected 200, got 0: TimeoutError: The operation was aborted due to timeout ()`,
  ])
  expect(limits.mock.calls).toEqual([[30_000]])
  limits.mockRestore()
})

test.runIf(remove)('deletes nothing else if the creation returns another', async () => {
  const { lines } = await runAltered(({ status }) => (status === 201 ? { text: '{"id":1}' } : {}))

  const [failed, left] = lines.slice(-2)
  expect(failed).toContain(`✗ ${CREATION}: expected 201, got 201: {"id":1} (`)
  expect(left).toMatch(/^"<name>" may be left\. To delete it: curl .+<id>$/)
})

test('says what stays if nothing deletes it, also after a failure', async () => {
  onTestFinished(() => void Object.assign(smoke, { remove }))
  Object.assign(smoke, { remove: undefined })

  const passed = await runAltered(() => ({}))
  const failed = await runAltered((received) => (isList(received) ? { text: '[]' } : {}))

  expect(passed.lines).toContain(STAYS)
  expect(failed.lines.at(-1)).toBe('"<name>" may stay: nothing deletes it.')
})

test.each([
  ['production', undefined, 1],
  ['production', 'a@example.com', 0],
  ['staging', undefined, 0],
] as const)('says whether nobody gets the alarms of %s: %s', (stage, alarmEmail, lines) => {
  const before: Stage = { ...stages.production }
  onTestFinished(() => void Object.assign(stages.production, { alarmEmail: before.alarmEmail }))
  Object.assign(stages.production, { alarmEmail })
  printed.mockClear()

  noteAlarms(stage)

  const line = 'Nobody gets the alarms of production. Set alarmEmail in infra/stages.ts.'
  expect(printed.mock.calls).toEqual(Array(lines).fill([line]))
})

type Incident = [
  string,
  (send: () => Promise<Response>, stop: () => void) => Promise<Response>,
  string,
]

test.runIf(remove).each<Incident>([
  ['a lost response', (send) => send().then(fail), 'The smoke test failed.'],
  ['a signal', (send, stop) => send().finally(stop), 'Stopped.'],
])('leaves nothing behind after %s, at any request', async (_, happen, message) => {
  const before = await stored()
  const isOver = (lines: string[]) => lines.includes(`✓ ${REMOVAL} after that: 404`)

  for (let count = 0, printed: string[] = []; !isOver(printed); count++) {
    const stop = new AbortController()
    let left = count
    const { error, lines } = await runWith(
      (...request) => {
        const send = () => fetch(...request)
        return left-- === 0 ? happen(send, () => stop.abort(new Error('Stopped.'))) : send()
      },
      { stop },
    )
    expect(error).toBe(message)
    expect(await stored(), `request ${count}`).toEqual(before)
    printed = lines
  }
})

test.runIf(remove)('says how to delete what is left if it cannot', async () => {
  const before = await stored()
  let isUp = true
  await runWith((url, init) => {
    if (!isUp) return Promise.reject(new Error('Made by the test.'))
    isUp = !`${url}`.includes(query)
    return fetch(url, init)
  })
  const commands = printed.mock.calls.flatMap(([line]) => /curl .+/.exec(String(line)) ?? [])
  expect(await stored()).not.toEqual(before)

  execFileSync('bash', ['-c', String(commands[0])], {
    env: { ...process.env, KEY: server.apiKey },
    stdio: 'ignore',
  })

  expect((await stored()).lists).toEqual(before.lists)
  expect(commands[1]).toBe(`${commands[0]}`.replace(/\d+$/, '<id>'))
})
