import { expect, test } from 'vitest'
import { issue } from '../../../infra/keys/actions.ts'
import { newKey } from '../../../infra/keys/key-table.ts'
import { find } from '../../../shared/data/api-keys.ts'
import { digestOf, isApiKey } from '../../../shared/model/api-key.ts'
import { answer, answers, lostAnswer } from '../../support/fault-proxy.ts'
import { proxy, run, runProcess, storedOf, table } from './keys.ts'
import { failure, runCommand } from './run-command.ts'

const KEY = /pet_local_[0-9A-Za-z]+/g
const keyId = expect.stringMatching(/^key_[0-9a-f]{16}$/)
const clientId = expect.stringMatching(/^client_[0-9a-f]{16}$/)
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test('makes a key that the API accepts, shows it once, and stores only its digest', async () => {
  const { text } = await run('issue', '--name', 'shop front')

  const [key = '', ...others] = text.match(KEY) ?? []
  expect(others).toEqual([])
  expect(isApiKey(key, 'local')).toBe(true)
  expect(await find(key)).toMatchObject({ keyId, clientId })
  const stored = await table.all()
  expect(stored).toContainEqual({ digest: digestOf(key), keyId, clientId, name: 'shop front', createdAt: time })
  expect(JSON.stringify(stored)).not.toMatch(KEY)
})

test('makes a key that expires, and gives scripts all its fields', async () => {
  const { json } = await run('issue', '--name', 'till 2', '--expires-in', '90d')

  const key = expect.stringMatching(KEY)
  expect(json).toEqual({ key, keyId, clientId, name: 'till 2', createdAt: time, expiresAt: time, state: 'valid' })
  const { expiresAt = 0 } = (await storedOf(json.keyId)) ?? {}
  expect(expiresAt).toBe(Math.floor(Date.parse(String(json.createdAt)) / 1000) + 90 * 86_400)
  expect(Date.parse(String(json.expiresAt))).toBe(1000 * expiresAt)
})

test('gives each key an id and a client of its own', async () => {
  const issued = [await run('issue', '--name', 'a'), await run('issue', '--name', 'a')]

  expect(new Set(issued.flatMap(({ json }) => [json.key, json.keyId, json.clientId])).size).toBe(6)
})

test('makes keys for one stage', () => {
  expect(newKey('live', { name: 'a' }).text).toMatch(/^pet_live_/)
  expect(newKey('test', { name: 'a' }).text).toMatch(/^pet_test_/)
})

test('stores a key once when the response is lost and the SDK retries', async () => {
  let left = 1
  proxy.faultOf = ({ operation }) => (operation === 'PutItem' && left-- > 0 ? lostAnswer : 'pass')

  const { text, stored } = await issue(table, { name: 'shop front' })

  expect(proxy.counts.PutItem).toBe(2)
  expect(await find(text)).toMatchObject({ keyId: stored.keyId })
})

test('overwrites no key', async () => {
  const { stored } = await issue(table, { name: 'shop front' })

  await expect(table.add({ ...stored, keyId: 'key_0', name: 'thief' })).rejects.toThrow()

  expect(await table.all()).toContainEqual(stored)
})

test('the process prints JSON for scripts', async () => {
  const { code, stdout, stderr } = await runProcess('issue', '--name', 'shop front', '--json')

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(await find(JSON.parse(stdout).key)).toMatchObject({ keyId: JSON.parse(stdout).keyId })
})

test('the process prints its help', async () => {
  const { code, stdout, stderr } = await runCommand('keys', ['--help'])

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const word of ['issue', 'list', 'rotate', 'revoke', '--stage', '--prefix', '--grace', '--json'])
    expect(stdout).toContain(word)
})

test('the process reports in one line, without the new key, that DynamoDB refuses it', async () => {
  proxy.faultOf = ({ operation }) => (operation === 'PutItem' ? answers.accessDenied : 'pass')

  expect(await runProcess('issue', '--name', 'shop front')).toEqual(
    failure('AWS refused the request: Made by the test.'),
  )
})

test('the process prints the stack trace of a bug without the new key', async () => {
  // DynamoDB says so about a key that exists, which only a retry of the SDK can cause.
  const exists = answer(400, { __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException' })
  proxy.faultOf = ({ operation }) => (operation === 'PutItem' ? exists : 'pass')

  const { code, stdout, stderr } = await runProcess('issue', '--name', 'shop front')

  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/Error: Two keys have the same digest\.\n +at .*key-table\.ts/)
  expect(stderr).not.toMatch(/pet_local_/)
})
