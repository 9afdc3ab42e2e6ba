import { expect, test } from 'vitest'
import { CommandError } from '../../../infra/command-line.ts'
import { issue } from '../../../infra/keys/actions.ts'
import { newKey } from '../../../infra/keys/key-table.ts'
import { find } from '../../../shared/data/api-keys.ts'
import { digestOf, isApiKey, scopes } from '../../../shared/model/api-key.ts'
import { always, once, proxy } from '../../support/database.ts'
import { databaseResponse, databaseResponses, lostResponse } from '../../support/fault-proxy.ts'
import { run, runProcess, startProcess, table } from './key-database.ts'
import { failure, runCommand } from './run-command.ts'

const KEY = /pet_local_[0-9A-Za-z]+/g
const keyId = expect.stringMatching(/^key_[0-9a-f]{16}$/)
const clientId = expect.stringMatching(/^client_[0-9a-f]{16}$/)
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** What the table has under the id of a key. */
const storedOf = async (keyId: unknown) => (await table.all()).find((key) => key.keyId === keyId)

test('issue makes a key that the API accepts, shows it once, and stores only its digest', async () => {
  const { text } = await run('issue', '--name', 'shop front')

  const [key = '', ...others] = text.match(KEY) ?? []
  expect(others).toEqual([])
  expect(isApiKey(key, 'local')).toBe(true)
  expect(await find(key)).toMatchObject({ keyId, clientId })
  const stored = await table.all()
  expect(stored).toContainEqual({ digest: digestOf(key), keyId, clientId, name: 'shop front', scopes, createdAt: time })
  expect(JSON.stringify(stored)).not.toMatch(KEY)
})

test('issue makes a key with an expiry and one scope, and gives scripts all its fields', async () => {
  const { text, json } = await run('issue', '--name', 'till 2', '--expires-in', '90d', '--scope', 'pets:read')

  const fields = { keyId, clientId, name: 'till 2', scopes: ['pets:read'], createdAt: time }
  expect(json).toEqual({ key: expect.stringMatching(KEY), ...fields, expiresAt: time, state: 'valid' })
  expect(text).toContain('\nScopes   pets:read\n')
  const stored = await storedOf(json.keyId)
  expect(stored).toMatchObject(fields)
  const { expiresAt = 0 } = stored ?? {}
  expect(expiresAt).toBe(Math.floor(Date.parse(String(json.createdAt)) / 1000) + 90 * 86_400)
  expect(Date.parse(String(json.expiresAt))).toBe(1000 * expiresAt)
})

test('each new key is for one stage, and has an id and a client of its own', () => {
  const keys = [newKey('live', { name: 'a' }), newKey('test', { name: 'a' })]

  expect(keys.map(({ text }) => text.slice(0, 9))).toEqual(['pet_live_', 'pet_test_'])
  expect(new Set(keys.flatMap(({ stored }) => [stored.digest, stored.keyId, stored.clientId])).size).toBe(6)
})

test('issue stores a key once when the response is lost and the SDK retries', async () => {
  once({ PutItem: lostResponse })

  const { text, stored } = await issue(table, { name: 'shop front' })

  expect(proxy.counts.PutItem).toBe(2)
  expect(await find(text)).toMatchObject({ keyId: stored.keyId })
})

test('issue names a key that may be stored although there was no response', async () => {
  always(lostResponse)

  const error = await issue(table, { name: 'unseen' }).catch(({ message }) => message)

  always('pass')
  const stored = (await table.all()).find(({ name }) => name === 'unseen')
  expect(error).toMatch(
    /^AWS cannot be reached: .+ The key may have been stored\. Revoke it with npm run keys -- revoke /,
  )
  expect(error).toContain(` ${stored?.keyId}.`)
})

test('issue names no key that AWS refused to store', async () => {
  always(databaseResponse(400, { __type: 'AccessDeniedException', message: 'You may not.' }))

  await expect(issue(table, { name: 'refused' })).rejects.toThrow(
    new CommandError('AWS refused the request: You may not.'),
  )
})

test('names are printed without control characters', async () => {
  const name = 'a\u001b[2J\nkey_0 \u202e\u2028b'
  const { stored } = newKey('local', { name })
  await table.add(stored)

  const list = await run('list')
  const rotation = await run('rotate', stored.keyId, '--grace', '1h')

  const printed = 'a\\u{1b}[2J\\u{a}key_0 \\u{202e}\\u{2028}b'
  expect(list.text).toContain(` ${printed} `)
  expect(rotation.text).toContain(`Name     ${printed}\n`)
  expect(rotation.json.name).toBe(name)
})

test('issue overwrites no key', async () => {
  const { stored } = await issue(table, { name: 'shop front' })

  await expect(table.add({ ...stored, keyId: 'key_0', name: 'thief' })).rejects.toThrow()

  expect(await table.all()).toContainEqual(stored)
})

test('list shows keys with their state, but neither keys themselves nor digests', async () => {
  const { key, ...issued } = (await run('issue', '--name', 'kiosk', '--scope', 'pets:write')).json
  const old = { keyId: 'key_old', clientId: 'c', name: 'Old', createdAt: '2020' }
  await table.add({ digest: 'd1', ...old, expiresAt: 1_600_000_000 }) // Keys of earlier releases have no scopes.
  await table.add({ digest: 'd2', ...old, keyId: 'key_none', scopes: [] })

  // Another read may not see the latest keys.
  proxy.faultOf = ({ body }) => (JSON.parse(body).ConsistentRead ? 'pass' : databaseResponses.nothing)

  const { text, json } = await run('list')

  expect(json).toContainEqual(issued)
  expect(json).toContainEqual({ ...old, scopes, expiresAt: '2020-09-13T12:26:40.000Z', state: 'expired' })
  expect(text).toMatch(/^KEY +CLIENT +NAME +SCOPES +CREATED +EXPIRES +STATE$/m)
  expect(text).toMatch(/^key_old {15}c +Old +pets:read pets:write +2020 +2020-09-13 12:26Z +expired$/m)
  expect(text).toMatch(/^key_none +c +Old +none +2020 +never +valid$/m)
  expect(text).toMatch(
    new RegExp(`^${issued.keyId} +${issued.clientId} +kiosk +pets:write +\\S+ \\S+ +never +valid$`, 'm'),
  )
  expect(text + JSON.stringify(json)).not.toMatch(/pet_local_|digest|[0-9a-f]{64}/)
})

test('list shows more keys than DynamoDB returns at a time, oldest first', async () => {
  const padding = 'x'.repeat(300_000) // DynamoDB returns 1 MB at a time.
  const ids = Array.from({ length: 10 }, (_, i) => `key_${i}`)
  const many = { clientId: 'c', name: 'Many', padding }
  for (const id of ids) await table.add({ digest: id, keyId: id, createdAt: `2021-0${id.at(-1)}`, ...many })

  const { json } = await run('list')

  expect(json.filter((key) => Object(key).name === 'Many').map((key) => Object(key).keyId)).toEqual(ids)
  expect((await run('revoke', 'key_9', '--yes')).json).toMatchObject({ keyId: 'key_9' })
})

const unknown = (id: unknown) =>
  new CommandError(`There is no key ${id} in this stage. List the keys with npm run keys -- list.`)

test('revoke deletes the key and no other', async () => {
  const other = (await run('issue', '--name', 'other')).json
  const key = (await run('issue', '--name', 'shop front')).json

  const { json } = await run('revoke', String(key.keyId), '--yes')

  expect(json).toEqual({ keyId: key.keyId, clientId: key.clientId, name: 'shop front' })
  expect(await storedOf(key.keyId)).toBeUndefined()
  expect(await storedOf(other.keyId)).toBeDefined()
  expect(await find(String(key.key))).toBeUndefined()
  await expect(run('revoke', String(key.keyId), '--yes')).rejects.toThrow(unknown(key.keyId))
})

test.each([
  [['rotate', 'key_unknown', '--grace', '1h']],
  [['revoke', 'key_unknown', '--yes']],
  [['revoke', 'key_unknown']],
])('%j reports that there is no such key', async (args) => {
  const before = await table.all()

  await expect(run(...args)).rejects.toThrow(unknown('key_unknown'))
  expect(await table.all()).toEqual(before)
})

test('the process does not revoke without a terminal to confirm on, except with --yes', async () => {
  const keyId = String((await run('issue', '--name', 'shop front')).json.keyId)

  const refused = await runProcess('revoke', keyId)
  const isKept = Boolean(await storedOf(keyId))
  const ran = await runProcess('revoke', keyId, '--yes')

  expect(refused).toEqual(failure('There is no terminal to confirm on. Add --yes to revoke without asking.'))
  expect([isKept, await storedOf(keyId)]).toEqual([true, undefined])
  expect(ran).toEqual({ code: 0, stdout: expect.stringContaining(`${keyId} is revoked.`), stderr: '' })
})

test('the process says how to revoke a new key that it cannot print', async () => {
  const { child, exited } = startProcess('issue', '--name', 'closed pipe')
  child.stdout.destroy()

  const { code, stderr } = await exited

  const { keyId } = (await table.all()).find(({ name }) => name === 'closed pipe') ?? {}
  const advice = `The new key is stored, but was not shown. Revoke it with npm run keys -- revoke ${keyId}.`
  expect({ code, stderr }).toEqual({ code: 1, stderr: `Cannot print: write EPIPE. ${advice}\n` })
})

test('the process prints its help', async () => {
  const ran = await runCommand('keys', ['--help'])

  expect(ran).toEqual({ code: 0, stdout: expect.stringContaining('--grace'), stderr: '' })
})

test('the process prints the stack trace of a bug without the new key', async () => {
  // DynamoDB says so about a key that exists, which only a retry of the SDK can cause.
  const exists = databaseResponse(400, { __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException' })
  once({ PutItem: exists })

  const { code, stdout, stderr } = await runProcess('issue', '--name', 'shop front')

  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/Error: Two keys have the same digest\.\n +at .*key-table\.ts/)
  expect(stderr).not.toMatch(/pet_local_/)
})
