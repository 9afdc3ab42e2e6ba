import { execFile } from 'node:child_process'
import { PassThrough, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { CommandError } from '../../../infra/command-line.ts'
import {
  ApiKeyTable,
  generateApiKey,
  type Lifetime,
} from '../../../infra/commands/api-key-table.ts'
import { confirm, issue, list, revoke, rotate } from '../../../infra/commands/keys.ts'
import { find, type StoredApiKey } from '../../../shared/data/api-keys.ts'
import { tableName } from '../../../shared/data/tables.ts'
import { digestOf, isApiKey } from '../../../shared/model/api-key.ts'
import { scopes, service } from '../../../shared/service.ts'
import { NOW } from '../../support/clock.ts'
import { failAlways, failOnce, proxy, storeKey } from '../../support/database.ts'
import { databaseResponses, lostResponse } from '../../support/fault-proxy.ts'
import { failure, runCommand } from '../../support/run-command.ts'
import { exampleCredentials } from '../../support/secrets.ts'

const operator = 'arn:aws:sts::123456789012:assumed-role/Operators/jane'
const deployment = { apiKeysTable: tableName('apiKeys'), keyPrefix: 'local', operator } as const
const table = new ApiKeyTable(deployment)

/** A key that allows everything, for ever. */
const shopFront = { name: 'shop front', scopes, expiresIn: 'never' } as const

/** Makes a key that allows to read pets, and stores it. */
const storeNewKey = async (expiresIn: Lifetime = 'never') => {
  const key = generateApiKey(deployment, { name: 'shop front', scopes: ['pets:read'], expiresIn })
  await table.put(key.stored)
  return key
}

/** What the table has under the id of a key. */
const storedOf = async (id: unknown) => (await table.all()).find(({ keyId }) => keyId === id)

const env = { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint, ...exampleCredentials }
const runProcess = (...args: string[]) =>
  runCommand('commands/keys', [...args, '--stage', 'local'], env)

const KEY = new RegExp(`${service.keyIssuer}_local_[0-9A-Za-z]+`, 'g')
const keyId = expect.stringMatching(/^key_[0-9a-f]{16}$/)
const clientId = expect.stringMatching(/^client_[0-9a-f]{16}$/)
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test('issue makes a key that the API accepts, shows it once, and stores only its digest, once', async () => {
  failOnce({ PutItem: lostResponse })

  const { text } = await issue(table, shopFront)

  const [key = '', ...others] = text.match(KEY) ?? []
  expect(others).toEqual([])
  expect(isApiKey(key, 'local')).toBe(true)
  expect(await find(key)).toMatchObject({ keyId, clientId })
  const digest = digestOf(key)
  const fields = { keyId, clientId, name: 'shop front', scopes, createdAt: time }
  expect(await table.all()).toEqual([
    expect.objectContaining({ keyId: 'local' }),
    { digest, ...fields, issuedBy: operator },
  ])
})

test('issue names a key that may be stored, because nobody has seen it', async () => {
  const ids = async () => (await table.all()).map(({ keyId }) => keyId)
  const before = await ids()
  failAlways({ carriedOut: databaseResponses.internalServerError })

  const error = await issue(table, shopFront).catch((error) => error)

  failAlways('pass')
  const [stored] = (await ids()).filter((id) => !before.includes(id))
  const problem = `The DynamoDB at ${proxy.endpoint} failed: Made by the test.`
  const advice = 'Nobody has seen it: revoke it if npm run keys -- list shows it.'
  const line = `${problem} The key ${stored} may have been stored. ${advice}`
  expect(error).toEqual(new CommandError(line))
})

test('issue does not name a key that DynamoDB refused to store', async () => {
  failAlways(databaseResponses.accessDenied)

  const error = await issue(table, shopFront).catch((error) => error)

  expect(error).toHaveProperty('name', 'AccessDeniedException')
})

test('the process issues a key with an expiry and one scope, and gives scripts all its fields; its help has all options', async () => {
  const options = ['--name', 'till 2', '--expires-in', '90d', '--scope', 'pets:read', '--json']

  const { stdout } = await runProcess('issue', ...options)
  const help = await runProcess('issue', '--help')

  expect(help.stdout).toContain('--stage <stage>')
  const json = JSON.parse(stdout)
  const fields = { keyId, clientId, name: 'till 2', scopes: ['pets:read'], createdAt: time }
  const key = expect.stringMatching(KEY)
  expect(json).toEqual({ key, ...fields, expiresAt: time, state: 'valid', issuedBy: 'local' })
  const expiresAt = Date.parse(json.expiresAt) / 1000
  expect(await storedOf(json.keyId)).toMatchObject({ ...fields, expiresAt })
})

test.each([[['--scope', 'pets:read']], [['--expires-in', '90d']]])(
  'the process issues no key with %j alone',
  async (options) => {
    const refused = await runProcess('issue', '--name', 'me', ...options)

    const line =
      'Choose what the key allows and when it ends: ' +
      '--scope pets:read or --scope all, and --expires-in 90d or --expires-in never.'
    expect(refused).toEqual(failure(line))
  },
)

test('the process issues a key that allows everything and never ends if that is asked for', async () => {
  const options = ['--name', 'me', '--scope', 'all', '--expires-in', 'never', '--json']

  const { stdout } = await runProcess('issue', ...options)

  const json = JSON.parse(stdout)
  expect(json).toMatchObject({ scopes, state: 'valid' })
  expect(json).not.toHaveProperty('expiresAt')
})

test('list shows keys with their state, but neither keys themselves nor digests', async () => {
  const { key, ...kiosk } = Object((await issue(table, { ...shopFront, name: 'kiosk' })).json)
  const old = { keyId: 'key_old', clientId: 'c', name: 'Old', scopes: [], createdAt: '2020' }
  await table.put({ digest: 'd1', ...old, expiresAt: 1_600_000_000 })

  const { text, json } = await list(table)

  expect(json).toContainEqual(kiosk)
  expect(json).toContainEqual({ ...old, expiresAt: '2020-09-13T12:26:40.000Z', state: 'expired' })
  expect(text).toMatch(
    /^KEY +CLIENT +NAME +SCOPES +CREATED +EXPIRES +STATE +ISSUED BY +REVOKED BY$/m,
  )
  expect(text).toMatch(/^key_old {15}c +Old +none +2020 +2020-09-13 12:26Z +expired$/m)
  expect(text).toMatch(new RegExp(`^${kiosk.keyId} .+ never +valid +${operator}$`, 'm'))
  expect(text + JSON.stringify(json)).not.toMatch(new RegExp(`${KEY.source}|digest|[0-9a-f]{64}`))
})

test.each([
  [13, 'valid, ends soon'],
  [14, 'valid'],
])('list marks a key that ends in %d days as %s', async (days, state) => {
  const { stored } = await storeNewKey(days * 86_400)

  const { text, json } = await list(table)

  expect(text).toMatch(new RegExp(`^${stored.keyId} .+Z +${state} +${operator}$`, 'm'))
  expect(json).toContainEqual(expect.objectContaining({ keyId: stored.keyId, state: 'valid' }))
})

test.each([
  ['soon', 'soon', 'expired'],
  ['9999999999999999', 9_999_999_999_999_999n, 'expired'],
  // A number that JavaScript would round.
  ['NaN', NumberValue.from('1e99'), 'expired'],
])(
  'a key in which somebody has stored %s as its end is listed as the service takes it',
  async (shown, expiresAt, state) => {
    await storeKey({ key: shown, keyId: shown, name: undefined, scopes: null, expiresAt })

    const { text, json } = await list(table)

    const damaged = { keyId: shown, scopes: [], expiresAt: shown, state }
    expect(json).toContainEqual(expect.objectContaining(damaged))
    expect(text).toMatch(new RegExp(` none .+ ${shown.replace('+', '.')} +${state}$`, 'm'))
  },
)

test('control characters that somebody has stored are escaped', async () => {
  await storeKey({ key: 'forged', keyId: 'key_a\nkey_b', name: '\u001b[2J\u009b1A' })

  const { text } = await list(table)
  const { stdout } = await runCommand('commands/keys', ['list', '--stage', 'local', '--json'], env)

  expect(text).toMatch(/^key_a\\u000akey_b .+ \\u001b\[2J\\u009b1A /m)
  expect(stdout).toContain('"name": "\\u001b[2J\\u009b1A"')
})

test('the process revokes the key that it reads from standard input, and no other', async () => {
  const { stored: other } = await storeNewKey()
  const { text, stored } = await storeNewKey()
  const { keyId, clientId, name } = stored

  const args = ['infra/commands/keys.ts', 'revoke', '-', '--stage=local', '--json']
  const running = promisify(execFile)(process.execPath, args, { env })
  running.child.stdin?.end(`${text}\n`)
  const { stdout } = await running

  expect(JSON.parse(stdout)).toEqual({ keyId, clientId, name })
  expect(await find(text)).toMatchObject({ keyId, isValid: false })
  expect(await storedOf(other.keyId)).toEqual(other)
})

test('a revoked key is listed with who revoked it, until DynamoDB deletes it', async () => {
  const { stored } = await storeNewKey()

  await revoke(table, stored.keyId)

  const ending = { expiresAt: NOW / 1000, revokedBy: operator }
  expect(await storedOf(stored.keyId)).toEqual({ ...stored, ...ending })
  const { text } = await list(table)
  expect(text).toMatch(new RegExp(`^${stored.keyId} .+ revoked +${operator} +${operator}$`, 'm'))
  const line = `${stored.keyId} was revoked by ${operator}.`
  for (const again of [revoke(table, stored.keyId), rotate(table, stored.keyId, { grace: 1 })])
    await expect(again).rejects.toThrow(new CommandError(line))
})

test('revoke and rotate refuse an unknown key', async () => {
  const line = 'There is no such key in this stage. List the keys with npm run keys -- list.'

  await expect(revoke(table, 'key_a')).rejects.toThrow(new CommandError(line))
  await expect(rotate(table, 'key_a', { grace: 1 })).rejects.toThrow(new CommandError(line))
})

test('revoke leaves nothing of a key that is deleted while it asks', async () => {
  const { keyId, digest } = (await storeNewKey()).stored

  await revoke(table, keyId, () => table.remove(digest))

  expect((await table.all()).map((key) => key.digest)).not.toContain(digest)
})

test('the process does not revoke without a terminal to confirm on, except with --yes', async () => {
  const { keyId } = (await storeNewKey()).stored

  const refused = await runProcess('revoke', keyId)
  const kept = await storedOf(keyId)
  const ran = await runProcess('revoke', keyId, '--yes')

  expect(refused).toEqual(failure('There is no terminal to confirm on. Add --yes.'))
  expect(kept).not.toHaveProperty('revokedBy')
  expect(await storedOf(keyId)).toHaveProperty('revokedBy', 'local')
  const stdout = expect.stringContaining(`${keyId} is revoked.`)
  expect(ran).toEqual({ code: 0, stdout, stderr: '' })
})

test.each([
  ['y\n', undefined],
  ['Yes\n', undefined],
  ['\n', new CommandError('Nothing was revoked.')],
  ['', new CommandError('Nothing was revoked.')], // Ctrl-D
])('asks on a terminal, and takes %j as the reply', async (typed, problem) => {
  const input = Object.assign(Readable.from([typed]), { isTTY: true })
  const output = new PassThrough()

  const error = await confirm('Revoke key_1?', input, output).catch((error) => error)

  expect(error).toEqual(problem)
  expect(String(output.read())).toBe('Revoke key_1? [y/N] ')
})

test.each(['shop\u001b[2J', ' ', 'x'.repeat(101)])(
  'the process refuses the name %j',
  async (name) => {
    const refused = await runProcess('issue', '--name', name)

    const { stderr } = refused
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(stderr).toContain('is invalid. Use 1 to 100 characters, not only white space, and no')
    expect(stderr).toContain('\nSee npm run keys -- issue --help\n')
  },
)

test('rotate issues a new key with the same scopes to the client, shows it once, and lets the old key expire', async () => {
  const { stored: old } = await storeNewKey(90 * 86_400)
  const { clientId, name, scopes, createdAt } = old

  const { text, json } = await rotate(table, old.keyId, { grace: 3 * 3600, expiresIn: 90 * 86_400 })

  const { key, keyId, expiresAt, previous } = Object(json)
  expect(expiresAt).toBe('2027-02-18T12:00:00.000Z')
  expect(previous.expiresAt).toBe('2026-11-20T15:00:00.000Z')
  expect(text.split(key)).toHaveLength(2)
  expect(text).toContain(`The previous key, ${old.keyId}, expires: 2026-11-20 15:00Z. Functions `)
  const issuer = { issuedBy: operator, digest: digestOf(key) }
  const fresh = { clientId, name, scopes, createdAt, keyId, ...issuer }
  const now = NOW / 1000
  expect(await storedOf(keyId)).toEqual({ ...fresh, expiresAt: now + 90 * 86_400 })
  expect(await storedOf(old.keyId)).toEqual({ ...old, expiresAt: now + 3 * 3600 })
})

test('rotate adds scopes, and keeps those that only another version knows', async () => {
  const stored = ['pets:read', 'vets:\u001bread']
  await storeKey({ key: 'newer', keyId: 'key_newer', scopes: stored })

  const rotation = { grace: 60, expiresIn: 'never', scopes: ['orders:read'] } as const
  const { text, json } = await rotate(table, 'key_newer', rotation)

  const kept = ['pets:read', 'vets:\u001bread', 'orders:read']
  expect(json).toMatchObject({ scopes: kept, previous: { scopes: stored } })
  expect(text).toMatch(/^Scopes {3}pets:read vets:\\u001bread orders:read$/m)
  expect(await storedOf(Object(json).keyId)).toMatchObject({ scopes: kept })
  expect((await list(table)).text).toMatch(/^key_newer .+ pets:read vets:\\u001bread .+ valid/m)
})

test('if two operators rotate a key at once, it ends when the first of its ends comes, as both are told', async () => {
  const { stored: old } = await storeNewKey()
  const put = async (key: StoredApiKey) => {
    await table.put(key)
    await rotate(table, old.keyId, { grace: 3600 })
  }
  const slow = Object.assign(new ApiKeyTable(deployment), { put })

  const { text } = await rotate(slow, old.keyId, { grace: 7200 })

  expect(text).toContain(`The previous key, ${old.keyId}, expires: 2026-11-20 13:00Z.`)
  expect(await storedOf(old.keyId)).toMatchObject({ expiresAt: NOW / 1000 + 3600 })
})

test('rotate refuses a key that expires, unless the lifetime of the new one is named', async () => {
  const { keyId } = (await storeNewKey()).stored
  const { json } = await rotate(table, keyId, { grace: 60 })

  const again = rotate(table, keyId, { grace: 60 })

  expect(json).not.toHaveProperty('expiresAt')
  const line = `${keyId} expires. Set the lifetime of the new key: --expires-in 90d, or never.`
  await expect(again).rejects.toThrow(new CommandError(line))
})

test('both keys stay valid if the old key cannot get its expiry; the process prints the new key, and why', async () => {
  const old = await storeNewKey()
  const { keyId, clientId } = old.stored
  failOnce({ UpdateItem: databaseResponses.accessDenied })

  const options = ['--grace', '1h', '--scope', 'pets:write', '--json']
  const { code, stdout, stderr } = await runProcess('rotate', keyId, ...options)

  const fresh = JSON.parse(stdout)
  expect(code).toBe(1)
  expect(await find(fresh.key)).toMatchObject({ clientId, scopes: ['pets:read', 'pets:write'] })
  expect(await find(old.text)).toMatchObject({ keyId, clientId, scopes: ['pets:read'] })
  const problem = `The expiry of ${keyId} may not have been set: The DynamoDB at ${proxy.endpoint} refused the request: Made by the test.`
  expect(stderr).toBe(
    `${problem} The new key is valid. Revoke ${keyId} when the client uses the new key.\n`,
  )
})

test.each([
  ['revoked', (old: StoredApiKey) => table.revoke(old)],
  [
    'revoked by somebody whose clock is ahead',
    (old: StoredApiKey) => table.put({ ...old, revokedBy: operator, expiresAt: NOW }),
  ],
  ['deleted', (old: StoredApiKey) => table.remove(old.digest)],
])('rotate leaves no new key if the old key is %s at the same time', async (_, end) => {
  const { stored: old } = await storeNewKey()
  const put = (key: StoredApiKey) => table.put(key).then(() => end(old))
  const slow = Object.assign(new ApiKeyTable(deployment), { put })

  const rotation = rotate(slow, old.keyId, { grace: 60 })

  const line = `The key ${old.keyId} was revoked in the meantime, so no new key was issued.`
  await expect(rotation).rejects.toThrow(new CommandError(line))
  const others = (await table.all()).filter(({ keyId }) => keyId !== old.keyId)
  expect(others.filter(({ clientId }) => clientId === old.clientId)).toEqual([])
})

// Last, because every scan reads these keys.
test('list shows more keys than DynamoDB returns at a time, oldest first', async () => {
  const name = 'x'.repeat(300_000) // DynamoDB returns 1 MB at a time.
  const months = ['2001-03', '2001-01', '2001-05', '2001-02', '2001-04']
  for (const month of months)
    await table.put({
      digest: month,
      keyId: month,
      createdAt: month,
      name,
      clientId: 'c',
      scopes: [],
    })

  const keys = await table.all()

  expect(keys.slice(0, 5).map(({ keyId }) => keyId)).toEqual(months.toSorted())
})
